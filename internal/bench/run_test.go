package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"perfbisect/internal/proc"
)

func TestRun(t *testing.T) {
	tests := []struct {
		why, script string
		exitMetric  bool
		want        Outcome
		notFound    bool
		tail        string // substring
	}{
		{"ok", "echo time 1.5; echo log >&2", false, OK, false, ""},
		{"fails", "echo boom >&2; exit 3", false, RunFailed, false, "boom"},
		{"fails with its message on stdout", "echo boom; exit 3", false, RunFailed, false, "boom"},
		{"bad by its exit code", "exit 1", true, OK, false, ""},
		{"hangs", "echo started; sleep 600", false, Timeout, false, "started"},
		{"command missing in a script", "no-such-benchmark", false, RunFailed, true, "not found"},
		{"GPU fault", "echo 'HW Exception by GPU node-1 (Agent handle: 0x1) reason :GPU Hang' >&2; kill -ABRT $$", false, GPUFault, false, "GPU Hang"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			c := Config{Bench: proc.Shell(tt.script), ExitMetric: tt.exitMetric, Timeout: time.Hour}
			if tt.want == Timeout {
				c.Timeout = 5 * time.Second // time to get started on a busy machine
			}
			r, err := runner(t, c).Run(t.Context(), commit)
			if err != nil {
				t.Fatal(err)
			}
			if r.Outcome != tt.want || r.NotFound != tt.notFound || (r.Hint != "") != tt.notFound || !strings.Contains(r.Tail, tt.tail) {
				t.Errorf("%s, not found %v (%q), tail %q", r.Outcome, r.NotFound, r.Hint, r.Tail)
			}
			if tt.want == OK && r.Tail != "" || r.Detail == "" || r.Elapsed <= 0 {
				t.Errorf("tail %q, detail %q, elapsed %v", r.Tail, r.Detail, r.Elapsed)
			}
		})
	}
}

// Logs are numbered on from what is there: a resumed hunt overwrites nothing.
func TestRunLogs(t *testing.T) {
	c := Config{Bench: proc.Shell("echo $PWD; pwd; echo two >&2"), Build: []string{"true"}, LogDir: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(c.LogDir, commit), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.LogDir, commit, "run-7.out"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runner(t, c)
	for _, want := range []string{"run-8", "run-9"} {
		result, err := r.Run(t.Context(), commit)
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Stdout.Path; got != filepath.Join(c.LogDir, commit, want+".out") {
			t.Errorf("log %q, want %s", got, want)
		}
		out, err := os.ReadFile(result.Stdout.Path)
		if dir := r.config.Dir; err != nil || string(out) != dir+"\n"+dir+"\n" {
			t.Errorf("log holds %q (%v)", out, err)
		}
	}
}

func TestRunHealth(t *testing.T) {
	sick := Config{Bench: proc.Shell("kill -SEGV $$"), Health: proc.Shell("echo no agent found; exit 1")}
	result, err := runner(t, sick).Run(t.Context(), commit)
	var health *HealthError
	if !errors.As(err, &health) || !strings.Contains(err.Error(), "GPU not healthy") || health.Tail != "no agent found" {
		t.Errorf("a failing probe gave %v", err)
	}
	if result.Outcome != RunFailed || result.Signal != "SIGSEGV" {
		t.Errorf("the run itself reads %+v", result)
	}
	hung := sick
	hung.Health, hung.HealthTimeout = []string{"sleep", "60"}, 200*time.Millisecond
	if _, err := runner(t, hung).Run(t.Context(), commit); !errors.As(err, &health) || !strings.Contains(health.Detail, "no end after") {
		t.Errorf("a hanging probe gave %v", err)
	}
	well := sick
	well.Health = []string{"true"}
	if _, err := runner(t, well).Run(t.Context(), commit); err != nil {
		t.Errorf("a passing probe gave %v", err)
	}
	normal := sick
	normal.Bench = proc.Shell("exit 1")
	if _, err := runner(t, normal).Run(t.Context(), commit); err != nil {
		t.Errorf("a plain failure was probed: %v", err)
	}
}

func TestHealthPreset(t *testing.T) {
	if got := HealthPreset([]string{"PATH=" + t.TempDir()}); got != nil {
		t.Errorf("without any tool: %q", got)
	}
	for _, p := range healthPresets {
		bin := tree(t, map[string]string{p.argv[0]: "#!/bin/sh\n"})
		got := HealthPreset([]string{"PATH=" + bin})
		if _, err := os.Stat(p.device); (err == nil) != (got != nil) {
			t.Errorf("%s with %s: %q", p.argv[0], p.device, got)
		}
	}
}

func TestRunNothingLearnt(t *testing.T) {
	r := runner(t, Config{Bench: []string{"sleep", "60"}})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := r.Run(ctx, commit); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("canceled run: %v", err)
	}
	for _, bad := range []string{"", "HEAD", "../../etc", "ABCDEF0123", commit + commit} {
		if _, err := r.Run(t.Context(), bad); err == nil {
			t.Errorf("ran commit %q", bad)
		}
	}
}

func TestBuild(t *testing.T) {
	other := strings.Repeat("a", 40)
	dir := t.TempDir()
	r := runner(t, Config{
		Dir:      dir,
		Build:    proc.Shell("echo out; echo err >&2; date +%s%N >lib.so"),
		BuildFor: []RangeCommand{{Range: "old", Commits: map[string]bool{other: true}, Argv: proc.Shell("echo broken >&2; exit 2")}},
		Artifact: []string{"*.so", "none/*"},
	})
	b, err := r.Build(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	if b.Outcome != OK || !b.Ran || b.StaleArtifact || len(b.Artifacts) != 1 || b.Artifacts[0].Path != "lib.so" || len(b.ArtifactHash) != 64 {
		t.Errorf("first build: %+v", b)
	}
	if len(b.MissingArtifact) != 1 || b.MissingArtifact[0] != "none/*" {
		t.Errorf("missing: %q", b.MissingArtifact)
	}
	if log, err := os.ReadFile(b.LogPath); err != nil || string(log) != "out\nerr\n" {
		t.Errorf("log %q (%v)", log, err)
	}
	b, err = r.Build(t.Context(), other)
	if err != nil || b.Outcome != BuildFailed || b.Tail != "broken" || b.ExitCode != 2 || b.StaleArtifact {
		t.Errorf("build of the old range: %+v (%v)", b, err)
	}
}

func TestBuildOutcomes(t *testing.T) {
	tests := []struct {
		why      string
		build    []string
		want     Outcome
		stale    bool
		notFound bool
	}{
		{"nothing to build", nil, OK, false, false},
		{"leaves the artifact as it was", []string{"true"}, OK, true, false},
		{"same content, newer", proc.Shell("touch -d 2031-01-01 app"), OK, false, false},
		{"new content, same time", proc.Shell("echo x >app; touch -d @1000000000 app"), OK, false, false},
		{"failed: no word on artifacts", []string{"false"}, BuildFailed, false, false},
		{"hangs", []string{"sleep", "60"}, Timeout, false, false},
		{"no such tool", []string{"no-such-make"}, BuildFailed, false, true},
		{"killed", proc.Shell("kill -KILL $$"), BuildFailed, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			dir := t.TempDir()
			app := filepath.Join(dir, "app")
			if err := os.WriteFile(app, []byte("app"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(app, time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
				t.Fatal(err)
			}
			c := Config{Dir: dir, Build: tt.build, Artifact: []string{"app"}, BuildTimeout: time.Hour}
			if tt.want == Timeout {
				c.BuildTimeout = 200 * time.Millisecond
			}
			b, err := runner(t, c).Build(t.Context(), commit)
			if err != nil || b.Outcome != tt.want || b.StaleArtifact != tt.stale || b.NotFound != tt.notFound || b.Ran != (tt.build != nil) {
				t.Errorf("%+v (%v)", b, err)
			}
		})
	}
}

// A checkout whose name looks like a pattern is still only a name.
func TestArtifactsInOddFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]*c")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "k.co"), []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	found, missing, err := artifacts(dir, []string{"*", "k.*", "sub"})
	if err != nil || len(found) != 1 || found[0].Path != "k.co" || len(missing) != 1 {
		t.Errorf("found %v, missing %q (%v)", found, missing, err)
	}
}
