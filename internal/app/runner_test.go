package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/bench"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/testenv"
)

// TestSickGPU: the probe decides after an abnormal end whether to go on; a sick
// GPU ends the hunt, and is neither slow nor a skip.
func TestSickGPU(t *testing.T) {
	a := newApp(t)
	s, _ := fakeSpec(t, testenv.Plant{N: 8, Culprit: 5})
	sick := filepath.Join(t.TempDir(), "sick")
	s.BenchCmd = fmt.Sprintf("grep -q 13 speed && { touch %s; kill -SEGV $$; }; %s", sick, fakeBench)
	s.Health = "test ! -e " + sick
	st := over(t, a, start(t, a, s).RunID)
	if st.State != engine.Failed || !strings.Contains(st.Reason, "GPU not healthy") {
		t.Errorf("%s: %s", st.State, st.Summary)
	}
	if strings.Contains(journal(t, a, st.RunID), `"outcome":"run_failed"`) {
		t.Error("the run that left the GPU sick counts against its commit")
	}
}

// TestHealthCommand: the user's probe, none, or the preset unless it failed.
func TestHealthCommand(t *testing.T) {
	preset := func([]string) []string { return []string{"rocminfo"} }
	failed := &engine.State{Warnings: []search.Warning{{Code: "health_probe"}}}
	for _, test := range []struct {
		why, health string
		state       *engine.State
		want        []string
	}{
		{"nothing asked: the preset", "", &engine.State{}, []string{"rocminfo"}},
		{"the preset failed at the start", "", failed, nil},
		{"the user's own", "mine", failed, shell("mine")},
		{"none wanted", "none", &engine.State{}, nil},
	} {
		h := &hunt{spec: Spec{Health: test.health}, state: test.state}
		if diff := cmp.Diff(test.want, h.healthCommand(preset)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.why, diff)
		}
	}
}

// TestGPULock: two hunts that use the same GPU never run at the same time.
func TestGPULock(t *testing.T) {
	a := newApp(t)
	busy := filepath.Join(t.TempDir(), "busy")
	var ids []string
	for range 2 {
		s, _ := fakeSpec(t, testenv.Plant{N: 4, Culprit: 2})
		s.BenchCmd = fmt.Sprintf("mkdir %s || exit 1; sleep 0.02; rmdir %s; %s", busy, busy, fakeBench)
		s.Env = []string{"HIP_VISIBLE_DEVICES=0"}
		s.SkipOnFail = false
		ids = append(ids, start(t, a, s).RunID)
	}
	for _, id := range ids {
		if st := over(t, a, id); st.State != engine.Completed {
			t.Errorf("%s: %s\n%s", st.State, st.Summary, journal(t, a, id))
		}
	}
}

// newHunt is a hunt with a journal and nothing to work on.
func newHunt(t *testing.T) *hunt {
	a := newApp(t)
	s, _ := fakeSpec(t, testenv.Plant{N: 3, Culprit: 2})
	q, err := a.resolve(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	run, err := a.make(q)
	if err != nil {
		t.Fatal(err)
	}
	h, err := a.open(run, q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.journal.Close() })
	if err := h.openRepo(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestEnvironmentChange: the journal has what changed and no more, the user is
// warned once for each name, and a restart knows what was before.
func TestEnvironmentChange(t *testing.T) {
	h := newHunt(t)
	commit := h.asked.Good
	step := func(f bench.Fingerprint, want map[string]string) {
		t.Helper()
		got, err := h.envChange(commit, f)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if err := h.append(engine.Event{Kind: engine.EventRan, Outcome: search.OK, Run: &engine.RunFact{Env: got}}); err != nil {
			t.Fatal(err)
		}
	}
	h.state.Plan = &engine.Plan{Positions: []engine.Position{{Commit: commit}}}
	h.state.View.Places = map[int]search.Place{}
	step(bench.Fingerprint{"hipcc": "6.2", "kernel": "6.8"}, map[string]string{"hipcc": "6.2", "kernel": "6.8"})
	step(bench.Fingerprint{"hipcc": "6.2", "kernel": "6.8"}, nil)
	step(bench.Fingerprint{"hipcc": "6.3", "kernel": "6.8"}, map[string]string{"hipcc": "6.3"})
	step(bench.Fingerprint{"hipcc": "6.4"}, map[string]string{"hipcc": "6.4", "kernel": ""})
	var texts []string
	for _, w := range h.state.Warnings {
		texts = append(texts, w.Code+": "+w.Text)
	}
	want := []string{
		fmt.Sprintf(`environment: hipcc differs along the hunt: "6.2", at %s "6.3"`, short(commit)),
		fmt.Sprintf(`environment: kernel differs along the hunt: "6.8", at %s none`, short(commit)),
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"hipcc": "6.4"}, knownEnv(h.state.Events())); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
}

// TestConditions: numbers go with every run, and runs in different states of the
// machine are a warning, which a warm-up is not.
func TestConditions(t *testing.T) {
	h := newHunt(t)
	at := func(tempC, load float64, mark string) bench.RunResult {
		return bench.RunResult{Before: bench.Conditions{
			CPU: bench.CPU{Count: 2, Load1: &load}, Mark: mark,
			GPUs: []bench.GPU{{Source: "sysfs", Index: 1, TempC: &tempC}},
		}}
	}
	for _, test := range []struct {
		why    string
		warmup bool
		run    bench.RunResult
		warns  []string
	}{
		{"a cold warm-up is no reference", true, at(20, 0, ""), nil},
		{"the reference", false, at(50, 0, ""), nil},
		{"about the same", false, at(55, 1, ""), nil},
		{"hotter", false, at(80, 1, ""), []string{"mixed_states"}},
		{"said already", false, at(90, 9, ""), []string{"mixed_states"}},
		{"made although it was hot", false, at(50, 0, "hot: GPU 1"), []string{"mixed_states", "hot"}},
	} {
		numbers, err := h.conditions("abc", test.warmup, test.run)
		if err != nil || numbers["gpu1_temp_c"] != *test.run.Before.GPUs[0].TempC {
			t.Errorf("%s: %v, %v", test.why, numbers, err)
		}
		var codes []string
		for _, w := range h.state.Warnings {
			codes = append(codes, w.Code)
		}
		if !slices.Equal(codes, test.warns) {
			t.Errorf("%s: warnings %q, want %q", test.why, codes, test.warns)
		}
	}
}

// TestTrouble tells errors of the machine, which pause, from those of a request.
func TestTrouble(t *testing.T) {
	for _, test := range []struct {
		why  string
		err  error
		want bool
	}{
		{"full disk", fmt.Errorf("writing: %w", syscall.ENOSPC), true},
		{"read-only file system", &os.PathError{Err: syscall.EROFS}, true},
		{"git met a full disk", &gitrepo.GitError{Stderr: "fatal: write error: No space left on device"}, true},
		{"an output that was cut", &bench.LogError{}, true},
		{"the journal", &troubleError{errors.New("x")}, true},
		{"git refuses", &gitrepo.GitError{Stderr: "fatal: no such ref"}, false},
		{"a file that is not there", os.ErrNotExist, false},
		{"none", nil, false},
	} {
		if trouble(test.err) != test.want {
			t.Errorf("%s: want %v", test.why, test.want)
		}
	}
}

func TestSplitOverlay(t *testing.T) {
	odd := filepath.Join(t.TempDir(), "a:b")
	if err := os.WriteFile(odd, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ overlay, src, dest string }{
		{"/x/bench.py", "/x/bench.py", ""},
		{"/x/bench.py:tools/b.py", "/x/bench.py", "tools/b.py"},
		{odd, odd, ""},
		{odd + ":c", odd, "c"},
	} {
		if src, dest := splitOverlay(test.overlay); src != test.src || dest != test.dest {
			t.Errorf("%q: %q to %q", test.overlay, src, dest)
		}
	}
}

func TestMeant(t *testing.T) {
	p := &gitrepo.Pending{Head: "abc"}
	for rev, want := range map[string]string{"HEAD": "abc", "HEAD~3": "abc~3", "@^": "abc^", "HEADER": "HEADER", "main": "main", "@{u}": "@{u}"} {
		if got := meant(p, rev); got != want {
			t.Errorf("%q means %q, want %q", rev, got, want)
		}
	}
	if meant(nil, "HEAD") != "HEAD" || meant(&gitrepo.Pending{}, "HEAD") != "HEAD" {
		t.Error("HEAD is HEAD where no in-place run has the checkout")
	}
}
