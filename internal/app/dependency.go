package app

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"perfbisect/internal/gitrepo"
)

// outer says where the tree of a hunt behind a dependency comes from.
type outer struct {
	Kind   string `json:"kind"`   // submodule or pin
	Path   string `json:"path"`   // of the submodule, or of the file with the pin
	Commit string `json:"commit"` // whose tree is built
	Pin    string `json:"pin,omitempty"`
}

// moved is a dependency that a commit moves.
type moved struct {
	outer
	old, new string // commits of the dependency, full hashes once Repo is known
	repo     string // a local repository that has both; "" when none is known
	alone    bool   // the commit changes nothing else
}

// outerAt is the commit to check out for a commit of the dependency.
func (h *hunt) outerAt(ctx context.Context, commit string) (string, error) {
	o := h.asked.Outer
	if o == nil || h.asked.Kind == "compare" {
		return commit, nil
	}
	return h.withDependency(ctx, o.Commit, *o, commit)
}

// withDependency is base with the dependency at another commit.
func (h *hunt) withDependency(ctx context.Context, base string, o outer, commit string) (string, error) {
	if o.Kind == "submodule" {
		return h.place.ws.Synthesize(ctx, base, gitrepo.Edit{Path: o.Path, Submodule: commit})
	}
	text, err := h.place.ws.Blob(ctx, base, o.Path, maxPinFile)
	if err != nil {
		return "", err
	}
	pin := o.Pin
	for _, old := range pinPattern.FindAllString(string(text), -1) {
		if strings.HasPrefix(o.Pin, old) || strings.HasPrefix(commit, old) {
			pin = old
		}
	}
	if !strings.Contains(string(text), pin) {
		return "", fmt.Errorf("moving the pin in %q: %q is not in it", o.Path, pin)
	}
	edited := strings.ReplaceAll(string(text), pin, commit[:min(len(commit), max(len(pin), 7))])
	return h.place.ws.Synthesize(ctx, base, gitrepo.Edit{Path: o.Path, Content: []byte(edited)})
}

// maxPinFile bounds the files in which pins are looked for, in bytes.
const maxPinFile = 1 << 20

// pinPattern finds hashes: 7 to 64 hexadecimal digits that stand alone.
var pinPattern = regexp.MustCompile(`\b[0-9a-f]{7,64}\b`)

// pinned is the dependency's place with the hash that is there.
func (m *moved) pinned(hash string) outer {
	o := m.outer
	if o.Pin != "" {
		o.Pin = hash
	}
	return o
}
