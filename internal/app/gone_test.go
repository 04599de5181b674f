package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfbisect/engine"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/testenv"
)

// removals are ways to lose the checkout that a command runs in.
var removals = map[string]string{
	"removed":     `rm -rf "$PWD"`,
	"cleaned":     `cd .. && rm -rf ./*`,
	"renamed":     `mv "$PWD" "$PWD.old"`,
	"made anew":   `rm -rf "$PWD" && mkdir "$PWD"`,
	"not git any": `rm -rf .git`,
}

// once is a command that loses the checkout at the first commit, other than the
// ends, that it sees.
func once(t *testing.T, removal string, hashes []string) string {
	return fmt.Sprintf(`case $(git rev-parse HEAD) in %s|%s) ;; *) test -e %[3]s || { touch %[3]s; %[4]s; };; esac`,
		hashes[0], hashes[len(hashes)-1], filepath.Join(t.TempDir(), "once"), removal)
}

// TestCheckoutGone: the first commit inside the range, where the benchmark or the
// build loses its own checkout, failed; the others are measured in a new one, and
// nothing of the old one is left.
func TestCheckoutGone(t *testing.T) {
	for _, test := range []struct {
		removal, command string
		mode             gitrepo.Mode
	}{
		{"removed", "benchmark", gitrepo.ModeClone},
		{"removed", "build", gitrepo.ModeClone},
		{"removed", "benchmark", gitrepo.ModeWorktree},
		{"cleaned", "build", gitrepo.ModeWorktree},
		{"renamed", "benchmark", gitrepo.ModeClone},
		{"made anew", "build", gitrepo.ModeClone},
		{"not git any", "benchmark", gitrepo.ModeClone},
	} {
		t.Run(fmt.Sprintf("%s by a %s in a %s", test.removal, test.command, test.mode), func(t *testing.T) {
			t.Parallel()
			a := newApp(t)
			s, hashes := fakeSpec(t, testenv.Plant{N: 8, Culprit: 2})
			before := picture(t, s.Repo)
			lose := once(t, removals[test.removal], hashes)
			s.Checkout, s.BenchCmd = string(test.mode), fakeBench+"; "+lose
			if test.command == "build" {
				s.BuildCmd, s.BenchCmd = "cp speed built; "+lose, fakeBench
			}
			st := over(t, a, start(t, a, s).RunID)
			if st.State != engine.Completed || st.Result.Culprit != hashes[2] || !strings.Contains(journal(t, a, st.RunID), errGone) {
				t.Errorf("%s: %s", st.State, st.Summary)
			}
			empty(t, a.cfg.CacheDir)
			if diff := cmp.Diff(before, picture(t, s.Repo)); diff != "" {
				t.Errorf("the user's repository (-before +after):\n%s", diff)
			}
		})
	}
}

// TestCheckoutAlwaysGone is told as what it is.
func TestCheckoutAlwaysGone(t *testing.T) {
	for _, mode := range []gitrepo.Mode{gitrepo.ModeClone, gitrepo.ModeWorktree} {
		a := newApp(t)
		s, _ := fakeSpec(t, testenv.Plant{N: 4, Culprit: 2})
		s.Checkout, s.BenchCmd = string(mode), fakeBench+`; rm -rf "$PWD"`
		st := over(t, a, start(t, a, s).RunID)
		if st.State != engine.Failed || !strings.Contains(st.Reason, errGone) {
			t.Errorf("%s: %s: %s", mode, st.State, st.Summary)
		}
		empty(t, a.cfg.CacheDir)
	}
}

// TestOwnCheckoutRenamed: a benchmark that renames the user's own checkout ends
// the hunt with a word on how to get everything back, and that works.
func TestOwnCheckoutRenamed(t *testing.T) {
	for _, command := range []string{"build", "benchmark"} {
		a := newApp(t)
		s, hashes := fakeSpec(t, testenv.Plant{N: 8, Culprit: 2})
		untidy(t, s.Repo)
		before := picture(t, s.Repo)
		s.Checkout, s.Yes = "in-place", true
		s.BenchCmd = fakeBench + "; " + once(t, removals["renamed"], hashes)
		if command == "build" {
			s.BuildCmd, s.BenchCmd = once(t, removals["renamed"], hashes), fakeBench
		}
		st := over(t, a, start(t, a, s).RunID)
		if st.State != engine.Failed || !strings.Contains(st.Reason, errGone) || !strings.Contains(st.Reason, "perfbisect stop "+st.RunID) {
			t.Errorf("%s: %s: %s", command, st.State, st.Summary)
		}
		if err := os.Rename(s.Repo+".old", s.Repo); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Stop(t.Context(), st.RunID, "finish"); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, picture(t, s.Repo)); diff != "" {
			t.Errorf("%s: the user's repository (-before +after):\n%s", command, diff)
		}
	}
}
