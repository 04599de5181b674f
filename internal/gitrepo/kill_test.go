package gitrepo

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

var kills = flag.Int("kills", 40, "how many times each kind of tree is killed at a random moment")

// childEnv carries a childSpec to the test binary that is to be killed.
const childEnv = "PERFBISECT_GITREPO_TEST_CHILD"

// childSpec is what the process that is killed does: prepare, step through the
// commits, close; or recover.
type childSpec struct {
	Repo, Dir, Steps string // Steps is the file that recorded steps go to
	Mode             Mode
	Commits          []string
	Overlay          string // laid over an ignored file and at a new place
	Recover          bool
	Submodules       bool
}

// recoverTold recovers. That it is told what was in the checkout is no failure:
// what a child was writing when it was killed comes to light so.
func recoverTold(ctx context.Context, s childSpec) error {
	err := Recover(ctx, s.Repo, readSteps(s.Steps)...)
	if _, told := errors.AsType[*RestoredError](err); told {
		return nil
	}
	return err
}

func childMain(spec string) error {
	var s childSpec
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return err
	}
	ctx := context.Background()
	if s.Recover {
		return recoverTold(ctx, s)
	}
	r, err := Open(ctx, s.Repo)
	if err != nil {
		return err
	}
	w, err := r.Prepare(ctx, WorkspaceOptions{
		Mode: s.Mode, Dir: s.Dir, Run: "kill", Record: s.record, Submodules: s.Submodules,
		Overlays: []Overlay{{s.Overlay, "local.env"}, {s.Overlay, "fresh/bench"}},
	})
	if err != nil {
		return err
	}
	for _, hash := range s.Commits {
		if _, err := w.Checkout(ctx, hash); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(w.Dir(), "a"), []byte("scribbled\n"), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(w.Dir(), "result.txt"), []byte(hash), 0o644); err != nil {
			return err
		}
	}
	return w.Close(ctx)
}

func (s childSpec) record(line string) error {
	f, err := os.OpenFile(s.Steps, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

func readSteps(name string) []string {
	data, _ := os.ReadFile(name)
	if len(data) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// killTree kills a process and all its descendants at once, as a power cut or
// the end of a container does: then no git has the time to tidy up.
func killTree(pid int) {
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	for _, child := range childrenOf(pid) {
		killTree(child)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func childrenOf(pid int) (pids []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		data, _ := os.ReadFile(task)
		for _, f := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(f); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// killOne kills a process alone: its git is told to end by the kernel.
func killOne(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }

// runChild runs the test binary on a spec and kills it after the given time,
// if that is not zero. It says how long it ran, and whether it was killed.
func runChild(t *testing.T, s childSpec, after time.Duration, kill func(int)) (time.Duration, bool) {
	t.Helper()
	spec, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(spec))
	var out strings.Builder
	cmd.Stderr = &out
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		defer time.AfterFunc(after, func() { kill(cmd.Process.Pid) }).Stop()
	}
	err = cmd.Wait()
	took := time.Since(begin)
	if ee, ok := errors.AsType[*exec.ExitError](err); ok && ee.Sys().(syscall.WaitStatus).Signaled() {
		return took, true
	}
	if err != nil {
		t.Fatalf("child %+v: %v\n%s", s, err, out.String())
	}
	return took, false
}

// gitFiles is every file of a repository, .git included.
func gitFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	f := map[string]string{}
	files(t, dir, f, "")
	return f
}

func TestKilledAtAnyMoment(t *testing.T) {
	for _, mode := range []Mode{ModeClone, ModeWorktree, ModeInPlace} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			r, hashes := messy(t)
			testKills(t, childSpec{Repo: r.dir, Mode: mode, Commits: []string{hashes[2], hashes[0], hashes[4]}}, *kills)
		})
	}
}

// TestKilledInPlace kills in the checkouts where git keeps more than an index.
func TestKilledInPlace(t *testing.T) {
	for _, tt := range append(inPlaceKinds, inPlaceKind{"submodule", withSubmodule}) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := history(t)
			at := &testRepo{t, tt.make(r)}
			at.write("dir/sub/deep", "changed\n")
			at.write("dir/new", "n\n")
			var commits []string
			for _, rev := range []string{"v1", "v2", "HEAD"} {
				commits = append(commits, r.git("rev-parse", rev+"^0"))
			}
			testKills(t, childSpec{Repo: at.dir, Mode: ModeInPlace, Commits: commits, Submodules: true}, (*kills+3)/4)
		})
	}
}

// withSubmodule makes history end with two pins of a submodule, which stands on a
// branch.
func withSubmodule(r *testRepo) string {
	first, _ := addSubmodule(r, "sub")
	sub := filepath.Join(r.dir, "sub")
	run(r.t, sub, "git", "checkout", "-q", "-b", "work", first)
	r.git("add", "sub")
	r.git("commit", "-q", "-m", "back to the first")
	r.git("tag", "-f", "v1", "HEAD~1")
	return r.dir
}

func testKills(t *testing.T, s childSpec, want int) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)
	// git status in the fingerprint refreshes the index: once before.
	fingerprint(t, s.Repo)
	before, all := fingerprint(t, s.Repo), gitFiles(t, s.Repo)
	cache := t.TempDir()
	s.Dir = filepath.Join(cache, "slot-0")
	s.Steps, s.Overlay = filepath.Join(t.TempDir(), "steps"), filepath.Join(t.TempDir(), "bench")
	writeFile(t, s.Overlay, "bench\n")
	whole, _ := runChild(t, s, 0, nil)
	if testing.Short() {
		want = min(want, 8)
	}
	killed := 0
	for i := 0; killed < want && i < 3*want; i++ {
		os.Remove(s.Steps)
		s.Recover = false
		kill := killOne
		if rng.IntN(2) == 0 {
			kill = killTree
		}
		after := time.Duration(rng.Int64N(int64(whole) + 1))
		if _, was := runChild(t, s, after, kill); !was {
			continue
		}
		killed++
		if s.Mode == ModeInPlace && rng.IntN(2) == 0 {
			s.Recover = true // killed again while it restores
			runChild(t, s, time.Duration(rng.Int64N(int64(whole)/2+1)), kill)
		}
		if err := recoverTold(t.Context(), s); err != nil {
			t.Fatalf("kill %d after %v: recovering: %v", killed, after, err)
		}
		when := fmt.Sprintf("kill %d after %v of %v", killed, after, whole)
		same(t, when, before, fingerprint(t, s.Repo))
		if s.Mode != ModeInPlace {
			same(t, when, all, gitFiles(t, s.Repo))
		}
		if left, _ := os.ReadDir(cache); len(left) > 0 {
			t.Errorf("%s: left in the cache: %v", when, left)
		}
		run(t, s.Repo, "git", "worktree", "list")
		run(t, s.Repo, "git", "fsck", "--connectivity-only")
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("%d kills within %v", killed, whole)
}
