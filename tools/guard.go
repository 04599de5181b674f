package tools

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

const (
	// largestBody is the largest request body in bytes; see longestLine.
	largestBody = longestLine
	// bodyWithin is how long a client may take to send it.
	bodyWithin = 30 * time.Second
)

// guard lets only requests through that come from a program which was given the
// token. A web page is not: the browser adds its Origin, and it has no token.
// Each check alone stops the drive-by that mcp-go's own SSE handler allows; all
// are made, because each has been worked around somewhere.
type guard struct {
	token   [sha256.Size]byte
	origins []string
	hosts   []string
	local   bool // listens on a loopback address
}

func newGuard(token string, at net.Addr, o HTTPOptions) *guard {
	g := &guard{token: sha256.Sum256([]byte(token)), origins: o.AllowOrigins, hosts: slices.Clone(o.AllowHosts)}
	for _, addr := range []string{at.String(), o.Addr} {
		if host, _, err := net.SplitHostPort(addr); err == nil && host != "" {
			g.hosts = append(g.hosts, host)
		}
	}
	if host, _, err := net.SplitHostPort(at.String()); err == nil {
		g.local = isLoopback(host)
	}
	return g
}

// wrap returns h behind the guard.
func (g *guard) wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if code, why := g.refuses(r); code != 0 {
			if code == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Bearer realm="perfbisect"`)
			}
			http.Error(w, why, code)
			return
		}
		if r.Method == http.MethodPost && !slurp(w, r) {
			return
		}
		h.ServeHTTP(w, r)
	})
}

// refuses returns the status and reason for a request that may not pass; 0 when
// it may.
func (g *guard) refuses(r *http.Request) (int, string) {
	origin := r.Header.Get("Origin")
	switch {
	case !g.knowsHost(r.Host):
		return http.StatusForbidden, "this Host is not allowed; start the server with --allow-host to allow it"
	case r.Header.Values("Origin") != nil && !slices.Contains(g.origins, origin):
		return http.StatusForbidden, "this Origin is not allowed; start the server with --allow-origin to allow it"
	case r.Method == http.MethodOptions && origin != "":
		return 0, "" // a preflight of an allowed origin carries no token
	case !g.knowsToken(r.Header.Get("Authorization")):
		return http.StatusUnauthorized, "a bearer token is required: Authorization: Bearer TOKEN (see the server's standard error or its token file)"
	case r.Method == http.MethodPost && !isJSON(r.Header.Get("Content-Type")):
		return http.StatusUnsupportedMediaType, "Content-Type must be application/json"
	}
	return 0, ""
}

// knowsHost checks the Host header, which a rebound DNS name betrays.
func (g *guard) knowsHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	return g.local && isLoopback(host) || slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// knowsToken compares hashes, so that neither content nor length shows in the
// time it takes.
func (g *guard) knowsToken(header string) bool {
	scheme, token, _ := strings.Cut(header, " ")
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(given[:], g.token[:]) == 1
}

func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json"
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// slurp reads the body whole, bounded in size and time, and answers a request
// whose body is neither. The deadline is lifted again for the answer's stream.
func slurp(w http.ResponseWriter, r *http.Request) bool {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyWithin))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, fmt.Sprintf("the message has more than %d bytes; send less, or the name of a file", largestBody), http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, "the message did not arrive", http.StatusRequestTimeout)
	default:
		_ = control.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return err == nil
}
