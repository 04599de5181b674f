package app

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"perfbisect/engine"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/testenv"
)

// damages are what may happen to the files of a run, with what is then said.
var damages = []struct {
	why  string
	do   func(run string) error
	says string
}{
	{"a bit of a value flips", func(run string) error {
		return edit(run, func(text string) string { return strings.Replace(text, `"at_s":`, `"at_s":1`, 1) })
	}, "line 1 cannot be used: its checksum is wrong"},
	{"a line in the middle is torn", func(run string) error {
		return edit(run, func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			lines[3] = lines[3][:len(lines[3])/2] + "\n"
			return strings.Join(lines, "")
		})
	}, "line 4 cannot be used"},
	{"facts are missing", func(run string) error {
		return edit(run, func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			return strings.Join(append(lines[:2:2], lines[3:]...), "")
		})
	}, "line 3 cannot be used: it has the number 4"},
	{"the journal is garbage", func(run string) error {
		return edit(run, func(string) string { return strings.Repeat("\x00\xff\n", 1000) })
	}, "line 1 cannot be used"},
	{"the journal cannot be read", func(run string) error {
		j := filepath.Join(run, "journal.jsonl")
		return errors.Join(os.Remove(j), os.Mkdir(j, 0o700))
	}, "cannot be read: it is no file"},
	{"a newer version went on", func(run string) error {
		return edit(run, func(text string) string {
			return text + `{"v":9,"seq":1000,"event":"dreamt"}` + "\n" + `{"v":9,"seq":1001,"event":"dreamt"}` + "\n"
		})
	}, "a newer one wrote it"},
	{"the journal is empty", func(run string) error {
		return errors.Join(os.MkdirAll(filepath.Join(run, "logs/0000000"), 0o700), edit(run, func(string) string { return "" }))
	}, "it was emptied"},
	{"the request is garbage", func(run string) error {
		return os.WriteFile(filepath.Join(run, "spec.json"), []byte("{"), 0o600)
	}, "reading spec.json"},
}

func edit(run string, change func(string) string) error {
	j := filepath.Join(run, "journal.jsonl")
	data, err := os.ReadFile(j)
	if err != nil {
		return err
	}
	return os.WriteFile(j, []byte(change(string(data))), 0o600)
}

// TestDamagedRun: a killed run whose files are then damaged in any way is told of
// as what it is, never gone on with, and gives back all that it holds, although
// the process that does that is killed as well.
func TestDamagedRun(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for k, damage := range damages {
		modes := []string{"in-place"}
		if k < 2 { // what our own trees need is the same for every damage
			modes = append(modes, "clone", "worktree")
		}
		for i, mode := range modes {
			t.Run(mode+"/"+damage.why, func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(seed, uint64(i*100+k)))
				dir := t.TempDir()
				s, _ := fakeSpec(t, testenv.Plant{N: 40, Culprit: 17})
				untidy(t, s.Repo)
				before := picture(t, s.Repo)
				s.Checkout, s.Yes, s.BenchCmd = mode, true, "sleep 0.02; "+fakeBench
				id := killedRun(t, dir, s, 5+random.IntN(30))
				if err := damage.do(filepath.Join(dir, "state/runs", id)); err != nil {
					t.Fatal(err)
				}
				a := appIn(t, dir)
				looksDamaged(t, a, id, damage.says)
				for range 2 {
					stop := send(t, errand{Dir: dir, Stop: id})
					time.Sleep(time.Duration(random.IntN(80)) * time.Millisecond)
					_ = stop.Process.Kill()
					_ = stop.Wait() // killed, or it was done
				}
				st, err := a.Stop(t.Context(), id, "finish")
				if err != nil || st.State != engine.Stopped {
					t.Fatalf("stop: %+v, %v", st, err)
				}
				if diff := cmp.Diff(before, picture(t, s.Repo)); diff != "" {
					t.Errorf("the user's repository (-before +after):\n%s", diff)
				}
				empty(t, a.cfg.CacheDir)
				if left, _ := filepath.Glob(filepath.Join(s.Repo, ".git/*perfbisect*")); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
				if again, err := a.Stop(t.Context(), id, "finish"); err != nil || again.State != engine.Stopped {
					t.Errorf("stop again: %+v, %v", again, err)
				}
			})
		}
	}
}

// looksDamaged checks what is said of a damaged run, and that it is not gone on
// with.
func looksDamaged(t *testing.T, a *App, id, says string) {
	t.Helper()
	st, err := a.Status(t.Context(), id)
	if err != nil || st.State != engine.Failed || !strings.Contains(st.Summary, says) || !strings.Contains(st.Next, "perfbisect stop "+id) {
		t.Errorf("status: %+v, %v", st, err)
	}
	list, err := a.List(t.Context())
	if err != nil || len(list) != 1 || list[0].State != engine.Failed || !strings.Contains(list[0].Summary, says) {
		t.Errorf("list: %+v, %v", list, err)
	}
	for what, err := range map[string]error{"resume": second(a.Resume(t.Context(), id)), "pause": second(a.Stop(t.Context(), id, "pause"))} {
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "perfbisect stop "+id) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestDamageBehindTheEnd: a result that was written before the damage stands, and
// the damage is told all the same.
func TestDamageBehindTheEnd(t *testing.T) {
	a := newApp(t)
	s, hashes := fakeSpec(t, testenv.Plant{N: 6, Culprit: 3})
	id := over(t, a, start(t, a, s).RunID).RunID
	if err := edit(filepath.Join(a.cfg.StateDir, "runs", id), func(text string) string { return text + "\x00\n\x00\n" }); err != nil {
		t.Fatal(err)
	}
	st, err := a.Status(t.Context(), id)
	if err != nil || st.State != engine.Completed || st.Result.Culprit != hashes[3] || !strings.Contains(st.Summary, "is damaged") {
		t.Errorf("%+v, %v", st, err)
	}
	if st, err = a.Stop(t.Context(), id, "finish"); err != nil || st.State != engine.Completed {
		t.Errorf("stop: %+v, %v", st, err)
	}
	warned := func(text string) bool { return strings.Contains(text, damagedCode) }
	if !warned(journal(t, a, id)) || len(st.Warnings) == 0 {
		t.Errorf("the warning is gone: %+v", st.Warnings)
	}
}

// TestDamagedNested: a hunt inside the culprit whose journal was damaged while the
// whole one was paused is begun again.
func TestDamagedNested(t *testing.T) {
	a := newApp(t)
	s, _ := fakeSpec(t, testenv.Plant{N: 8, Merge: 5})
	gate := filepath.Join(t.TempDir(), "gate")
	s.Yes, s.BenchCmd = true, fmt.Sprintf(`case "$(git log -1 --format=%%s)" in branch*|widen*) test -e %s || exec sleep 600;; esac; %s`, gate, fakeBench)
	id := start(t, a, s).RunID
	var inner string
	until(t, a, id, func(*Status) bool {
		_, inner, _ = strings.Cut(journal(t, a, id), `"nested":{"run":"`)
		inner, _, _ = strings.Cut(inner, `"`)
		data, _ := os.ReadFile(filepath.Join(a.cfg.StateDir, "runs", inner, "journal.jsonl")) // not there yet, at first
		return inner != "" && strings.Count(string(data), "\n") > 4
	})
	if _, err := a.Stop(t.Context(), id, "pause"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(damages[1].do(filepath.Join(a.cfg.StateDir, "runs", inner)), os.WriteFile(gate, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Resume(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	st := over(t, a, id)
	if st.State != engine.Completed || !strings.Contains(journal(t, a, id), `"kind":"merge","result"`) || !hasWarning(st, damagedCode, inner) {
		t.Errorf("%s: %s\n%+v", st.State, st.Summary, st.Result)
	}
}

// TestRepositoryGone: a run whose repository was removed is stopped, and our clone
// goes with it.
func TestRepositoryGone(t *testing.T) {
	dir := t.TempDir()
	s, _ := fakeSpec(t, testenv.Plant{N: 40, Culprit: 17})
	s.BenchCmd = "sleep 0.02; " + fakeBench
	id := killedRun(t, dir, s, 12)
	if err := os.RemoveAll(s.Repo); err != nil {
		t.Fatal(err)
	}
	a := appIn(t, dir)
	if st, err := a.Stop(t.Context(), id, "finish"); err != nil || st.State != engine.Stopped {
		t.Errorf("%+v, %v", st, err)
	}
	empty(t, a.cfg.CacheDir)
}

// TestPauseOfTheDead: pausing a run whose process is dead gives the user's
// repository back at once, and keeps what is ours.
func TestPauseOfTheDead(t *testing.T) {
	for _, mode := range []gitrepo.Mode{gitrepo.ModeWorktree, gitrepo.ModeInPlace} {
		dir := t.TempDir()
		s, hashes := fakeSpec(t, testenv.Plant{N: 12, Culprit: 7})
		untidy(t, s.Repo)
		before := picture(t, s.Repo)
		s.Checkout, s.Yes, s.BenchCmd = string(mode), true, "sleep 0.01; "+fakeBench
		id := killedRun(t, dir, s, 20)
		a := appIn(t, dir)
		if st, err := a.Stop(t.Context(), id, "pause"); err != nil || st.State != engine.Paused {
			t.Fatalf("%s: %+v, %v", mode, st, err)
		}
		if diff := cmp.Diff(before, picture(t, s.Repo)); diff != "" {
			t.Errorf("%s (-before +after):\n%s", mode, diff)
		}
		if left, _ := filepath.Glob(filepath.Join(s.Repo, ".git/worktrees/*")); len(left) > 0 {
			t.Errorf("%s: left behind: %v", mode, left)
		}
		if mode != gitrepo.ModeInPlace {
			continue
		}
		if _, err := a.Resume(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if st := over(t, a, id); st.Result == nil || st.Result.Culprit != hashes[7] {
			t.Errorf("%s: %s", mode, st.Summary)
		}
	}
}
