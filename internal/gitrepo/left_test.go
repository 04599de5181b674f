package gitrepo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// die makes what a workspace holds look as if its process had been killed.
func die(t *testing.T, w *Workspace) {
	t.Helper()
	path := w.lock.path
	w.lock.abandon()
	forgetOwner(t, path)
}

// inHand is a checkout in disorder that a run which died has in its hands.
func inHand(t *testing.T) (*testRepo, map[string]string) {
	t.Helper()
	r, hashes := messy(t)
	before := fingerprint(t, r.dir)
	w, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "r1"})
	if err != nil {
		t.Fatal(err)
	}
	checkout(t, w, hashes[0])
	die(t, w)
	return r, before
}

func recoverLeft(t *testing.T, repoDir, base, run string) error {
	t.Helper()
	left, err := Left(t.Context(), repoDir, base, run)
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, step := range left {
		steps = append(steps, step)
	}
	return Recover(t.Context(), repoDir, steps...)
}

// TestDamagedInPlaceJournal: whatever happens to one of the two journals, the
// checkout comes back exactly, and only when its own run asks for it.
func TestDamagedInPlaceJournal(t *testing.T) {
	for why, damage := range map[string]func(path string) error{
		"emptied": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"removed": os.Remove,
		"garbage": func(path string) error { return os.WriteFile(path, []byte("\x00\x00"), 0o600) },
		"cut": func(path string) error {
			info, err := os.Stat(path)
			return errors.Join(err, os.Truncate(path, info.Size()/2))
		},
		"no state": func(path string) error { return os.WriteFile(path, []byte("{}"), 0o600) },
	} {
		for _, name := range []string{journalFile, journalCopy} {
			t.Run(why+" "+name, func(t *testing.T) {
				t.Parallel()
				r, before := inHand(t)
				if err := damage(filepath.Join(r.dir, ".git/perfbisect", name)); err != nil {
					t.Fatal(err)
				}
				if err := recoverLeft(t, r.dir, "", "r2"); err != nil {
					t.Error(err)
				}
				if p, err := InPlacePending(t.Context(), r.dir); err != nil || p == nil || p.Run != "r1" {
					t.Fatalf("another run's stop took it: %+v, %v", p, err)
				}
				if err := recoverLeft(t, r.dir, "", "r1"); err != nil {
					t.Error(err)
				}
				same(t, "after the restore", before, fingerprint(t, r.dir))
			})
		}
	}
}

// TestLostInPlaceJournal: with both journals gone nothing is touched, and the
// commands that the error names put everything back.
func TestLostInPlaceJournal(t *testing.T) {
	r, before := inHand(t)
	stepped := fingerprint(t, r.dir)
	for _, name := range []string{journalFile, journalCopy} {
		writeFile(t, filepath.Join(r.dir, ".git/perfbisect", name), "{")
	}
	for range 2 { // the first look must not spoil the second
		err := recoverLeft(t, r.dir, "", "r1")
		lost, ok := errors.AsType[*LostError](err)
		if !ok || lost.Branch != "refs/heads/main" || !strings.HasSuffix(lost.Ref, "/rr1") {
			t.Fatalf("%+v", err)
		}
		if err := recoverLeft(t, r.dir, "", "r2"); err != nil {
			t.Errorf("it is not r2's: %v", err)
		}
		same(t, "after the refusal", stepped, fingerprint(t, r.dir))
	}
	lost, _ := errors.AsType[*LostError](recoverLeft(t, r.dir, "", "r1"))
	hints := lost.Hints()
	if out, err := exec.Command("sh", "-c", hints[len(hints)-1]).CombinedOutput(); err != nil {
		t.Fatalf("%s\n%s", out, err)
	}
	r.git("status") // refreshes the index, as any next command does
	same(t, "after the commands", rightless(before), rightless(fingerprint(t, r.dir)))
}

// rightless leaves out the rights of files but whether they can be executed, all
// that the commands know.
func rightless(f map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range f {
		switch {
		case strings.HasPrefix(name, "folder "):
		case strings.HasPrefix(name, "file ") && value[0] == '-':
			out[name] = value[3:4] + value[10:]
		default:
			out[name] = value
		}
	}
	return out
}

// TestLeft: trees are found by their marks, by the run that made them alone, and
// what is found is enough to remove them.
func TestLeft(t *testing.T) {
	for _, mode := range []Mode{ModeClone, ModeWorktree} {
		for _, state := range []string{"whole", "half made", "tree gone"} {
			t.Run(string(mode)+" "+state, func(t *testing.T) {
				t.Parallel()
				r := newRepo(t)
				a := r.commit("one", "f", "1\n")
				before := gitFiles(t, r.dir)
				base := filepath.Join(t.TempDir(), "slot")
				w, err := r.open().Prepare(t.Context(), WorkspaceOptions{Mode: mode, Dir: base, Run: "r1"})
				if err != nil {
					t.Fatal(err)
				}
				checkout(t, w, a)
				die(t, w)
				switch state {
				case "half made":
					if err := os.Remove(filepath.Join(w.gitDir, markName)); err != nil {
						t.Fatal(err)
					}
				case "tree gone":
					if err := os.RemoveAll(base); err != nil {
						t.Fatal(err)
					}
				}
				if left, err := Left(t.Context(), r.dir, base, "r2"); err != nil || len(left) > 0 {
					t.Errorf("found for another run: %v, %v", left, err)
				}
				if err := recoverLeft(t, r.dir, base, "r1"); err != nil {
					t.Error(err)
				}
				if left, _ := filepath.Glob(base + "*"); len(left) > 0 && !slices.Equal(left, []string{base + ".lock"}) {
					t.Errorf("left behind: %v", left)
				}
				for name := range gitFiles(t, r.dir) {
					if _, ok := before[name]; !ok {
						t.Errorf("left behind in the repository: %s", name)
					}
				}
			})
		}
	}
}
