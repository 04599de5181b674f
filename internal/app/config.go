package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"perfbisect/internal/bench"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/proc"
)

func (h *hunt) workspaceOptions(ctx context.Context, slot string) (gitrepo.WorkspaceOptions, error) {
	o := gitrepo.WorkspaceOptions{
		Mode: gitrepo.Mode(h.spec.Checkout), Dir: slot, Run: h.run.ID, Patches: h.spec.applied(), Clean: h.spec.Clean, Submodules: true,
		AllowForce: h.state.View.Answers["force"] == "yes",
		Record:     h.recordTree,
	}
	for _, overlay := range h.spec.Overlay {
		src, dest := splitOverlay(overlay)
		o.Overlays = append(o.Overlays, gitrepo.Overlay{Src: src, Dest: dest})
	}
	if h.spec.BenchFrom != "" {
		rev, paths, _ := strings.Cut(h.spec.BenchFrom, ":")
		hash, err := h.hash(ctx, rev)
		if err != nil {
			return o, fmt.Errorf("bench-from: %w", err)
		}
		o.BenchFrom = gitrepo.BenchFrom{Hash: hash, Paths: h.benchPaths(paths)}
		if len(o.BenchFrom.Paths) == 0 {
			return o, fmt.Errorf("bench-from is %q: name the paths of the benchmark as REV:PATH,PATH", h.spec.BenchFrom)
		}
	}
	return o, nil
}

// benchPaths splits the paths of --bench-from. Without any, the words of the
// benchmark command that are files of the repository are meant.
func (h *hunt) benchPaths(list string) []string {
	if list != "" {
		return strings.Split(list, ",")
	}
	return filesNamed(h.spec.Repo, h.benchWords())
}

// benchConfig says what is built and run. With an isa: metric the command that
// dumps machine code takes the benchmark's place.
func (h *hunt) benchConfig(ctx context.Context, supervisor *proc.Supervisor, dir string) (bench.Config, error) {
	c := bench.Config{
		Dir: dir, Bench: h.spec.bench(), Timeout: seconds(h.spec.TimeoutS), BuildTimeout: seconds(h.spec.BuildTimeoutS),
		Env: h.spec.Env, CacheDir: h.caches(), ShareCaches: h.spec.ShareCaches, LogDir: h.run.LogDir(),
		Artifact: h.spec.Artifact, ExitMetric: h.spec.Metric == "exit",
		Guard: h.app.guard(supervisor, h.spec.MaxTempC), Versions: h.app.sharedVersions(supervisor),
	}
	if h.isa() {
		c.Bench = h.dumpCommand()
		c.Env = slices.Concat(dumpEnv(dumpDir(h.slot())), c.Env)
	}
	if h.spec.BuildCmd != "" {
		c.Build = shell(h.spec.BuildCmd)
	}
	var err error
	c.BuildFor, err = h.buildFor(ctx)
	return c, err
}

// buildFor reads RANGE=CMD: the commits that RANGE (A..B, or one commit) names
// are built by CMD.
func (h *hunt) buildFor(ctx context.Context) ([]bench.RangeCommand, error) {
	var list []bench.RangeCommand
	for _, text := range h.spec.BuildFor {
		span, cmd, ok := strings.Cut(text, "=")
		if !ok || span == "" || cmd == "" {
			return nil, fmt.Errorf("build-for is %q, must be RANGE=CMD, for example v1.0..v1.2='make old'", text)
		}
		commits, err := h.commitsOf(ctx, span)
		if err != nil {
			return nil, fmt.Errorf("build-for %q: %w", text, err)
		}
		list = append(list, bench.RangeCommand{Range: span, Commits: commits, Argv: shell(cmd)})
	}
	return list, nil
}

// commitsOf resolves A..B (A excluded), ..B (from good on, which is in it), A..
// (to bad) or a single revision.
func (h *hunt) commitsOf(ctx context.Context, span string) (map[string]bool, error) {
	from, to, isRange := strings.Cut(span, "..")
	if !isRange {
		hash, err := h.hash(ctx, span)
		return map[string]bool{hash: true}, err
	}
	commits := map[string]bool{}
	var err error
	a, b := h.asked.Good, h.asked.Bad
	if from == "" {
		commits[a] = true
	} else if a, err = h.hash(ctx, from); err != nil {
		return nil, err
	}
	if to != "" {
		if b, err = h.hash(ctx, to); err != nil {
			return nil, err
		}
	}
	entries, err := h.repo.Range(ctx, a, b, gitrepo.RangeOptions{})
	for _, e := range entries {
		commits[e.Hash] = true
	}
	return commits, err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
