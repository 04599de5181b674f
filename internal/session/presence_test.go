package session

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

func enter(t *testing.T, s *Store, run string) *Presence {
	t.Helper()
	p, err := s.Enter(run)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func left(t *testing.T, p *Presence, want ...string) {
	t.Helper()
	if got := p.Leave(); !slices.Equal(got, want) {
		t.Errorf("%s was beside %q, want %q", p.run, got, want)
	}
}

// TestPresence: however two overlap, each knows of the other; those that do not
// overlap know nothing.
func TestPresence(t *testing.T) {
	s, _ := newRun(t)
	a := enter(t, s, "a")
	left(t, enter(t, s, "b"), "a") // within a
	left(t, enter(t, s, "b"), "a") // twice
	c := enter(t, s, "c")
	left(t, a, "b", "c")
	left(t, enter(t, s, "d-1"), "c")
	left(t, c, "a", "d-1")
	left(t, enter(t, s, "e"))
	if rest, _ := filepath.Glob(filepath.Join(s.Locks(), "*")); len(rest) > 0 {
		t.Errorf("left behind: %q", rest)
	}
}

// TestPresenceOfTheDead: what a killed process left is nobody, and is removed.
func TestPresenceOfTheDead(t *testing.T) {
	s, _ := newRun(t)
	left(t, enter(t, s, "a"))
	dead, other := filepath.Join(s.Locks(), busyPrefix+hostTag()+"00000000-dead"), filepath.Join(s.Locks(), busyPrefix+"otherhost-00000000-x")
	for _, path := range []string{dead, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	left(t, enter(t, s, "a"))
	rest, _ := filepath.Glob(filepath.Join(s.Locks(), "*"))
	if !slices.Equal(rest, []string{other}) {
		t.Errorf("there are %q", rest)
	}
}

// TestPresenceOfMany: of many that come and go at once, none misses one whose
// presence it was certainly within.
func TestPresenceOfMany(t *testing.T) {
	s, _ := newRun(t)
	all := enter(t, s, "all")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				p, err := s.Enter("one")
				if err != nil {
					t.Error(err)
					return
				}
				if others := p.Leave(); !slices.Contains(others, "all") {
					t.Errorf("all was not seen, only %q", others)
				}
			}
		})
	}
	group.Wait()
	left(t, all, "one")
}
