package tools

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// shortestToken is the least length of a token that somebody made by hand.
const shortestToken = 16

// loadToken returns the bearer token in file, or makes one: of 256 random bits,
// in a file that only its owner can read. file "" keeps it in memory only.
func loadToken(file string) (token string, made bool, err error) {
	if file == "" {
		return newToken(), true, nil
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		token = newToken()
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return "", false, fmt.Errorf("making the folder of token file %q: %w", file, err)
		}
		if err := renameio.WriteFile(file, []byte(token+"\n"), 0o600, renameio.IgnoreUmask()); err != nil {
			return "", false, fmt.Errorf("writing token file %q: %w", file, err)
		}
		return token, true, nil
	case err != nil:
		return "", false, fmt.Errorf("reading token file %q: %w", file, err)
	case info.Mode().Perm()&0o077 != 0:
		return "", false, fmt.Errorf("reading token file %q: mode is %04o, others can read it; run: chmod 600 %s", file, info.Mode().Perm(), file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", false, fmt.Errorf("reading token file %q: %w", file, err)
	}
	if token = strings.TrimSpace(string(data)); len(token) < shortestToken || strings.ContainsAny(token, " \t\r\n") {
		return "", false, fmt.Errorf("reading token file %q: it must hold one word of at least %d characters", file, shortestToken)
	}
	return token, false, nil
}

func newToken() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never fails since Go 1.24
	return base64.RawURLEncoding.EncodeToString(bits[:])
}
