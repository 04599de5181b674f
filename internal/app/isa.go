package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfbisect/amdgpu"
	"perfbisect/engine/search"
	"perfbisect/internal/bench"
	"perfbisect/internal/metric"
)

// isa reports whether the hunt's metric is a resource of the machine code.
func (h *hunt) isa() bool { return strings.HasPrefix(h.spec.Metric, "isa:") }

// seesCode reports whether the request says how machine code is come by.
func (h *hunt) seesCode() bool { return h.spec.Dump != "" || len(h.spec.Artifact) > 0 }

// dumpDir is where machine code of the tree at dir is dumped: beside it, and at
// the same path for every commit.
func dumpDir(dir string) string { return dir + ".dump" }

// dumpPath is dumpDir of the tree in use, which may be another hunt's.
func (h *hunt) dumpPath() string {
	if h.place != nil {
		return dumpDir(h.place.slot)
	}
	return dumpDir(h.slot())
}

// dumpEnv is what makes the compilers that look at their environment dump:
// FlyDSL; Triton into a cache of its own, as a cache hit would dump nothing; and
// hipcc, whose temporary files are collected from the tree.
func dumpEnv(dump string) []string {
	return []string{
		"PERFBISECT_DUMP_DIR=" + dump,
		"FLYDSL_DUMP_IR=1", "FLYDSL_DUMP_DIR=" + dump, "FLYDSL_RUNTIME_ENABLE_CACHE=0",
		"TRITON_CACHE_DIR=" + filepath.Join(dump, "triton"), "TRITON_ALWAYS_COMPILE=1",
		"HIPCC_COMPILE_FLAGS_APPEND=--save-temps=obj",
	}
}

// dumpCommand is the command that dumps machine code. With artifacts the build
// itself makes it, and nothing has to be run; without either the benchmark does,
// for compilers that compile when they are called.
func (h *hunt) dumpCommand() []string {
	switch {
	case h.spec.Dump != "":
		return shell(withDumpDir(h.spec.Dump, h.dumpPath()))
	case len(h.spec.Artifact) > 0 || h.spec.bench() == nil:
		return shell(":")
	}
	return h.spec.bench()
}

// withDumpDir replaces {dump_dir} by our own path, quoted where a shell would
// split it.
func withDumpDir(command, dump string) string {
	if strings.ContainsAny(dump, " \t\n'\"\\$`*?[]{}()<>|&;#~!") {
		dump = "'" + strings.ReplaceAll(dump, "'", `'\''`) + "'"
	}
	return strings.ReplaceAll(command, "{dump_dir}", dump)
}

// dumper is what runs the dump command in the tree in use. Its caches are not
// those of the benchmark: a compiler that finds its code there dumps none.
func (h *hunt) dumper() (*bench.Runner, error) {
	p := h.place
	if p.dumper != nil && p.dumps == h.run.ID {
		return p.dumper, nil
	}
	supervisor, err := h.app.procs()
	if err != nil {
		return nil, err
	}
	p.dumper, err = bench.New(supervisor, bench.Config{
		Dir: p.ws.Dir(), Bench: h.dumpCommand(), Timeout: seconds(h.spec.TimeoutS), LogDir: filepath.Join(h.run.LogDir(), "dump"),
		Env:      slices.Concat(dumpEnv(h.dumpPath()), h.spec.Env),
		CacheDir: filepath.Join(cachesOf(p.slot, p.trees.run), "dump"), ShareCaches: h.spec.ShareCaches,
	})
	p.dumps = h.run.ID
	return p.dumper, err
}

// tryISA dumps the machine code of the commit in the tree and reads one number
// of it.
func (h *hunt) tryISA(ctx context.Context, commit string, spec metric.Spec) (*trial, error) {
	snapshot, run, err := h.dump(ctx, commit)
	t := &trial{run: run, outcome: search.Outcome(run.Outcome)}
	if err != nil || t.outcome != search.OK {
		return t, err
	}
	kernel, column := spec.ISA()
	value, ok, why := snapshot.Metric(kernel, column)
	if !ok {
		t.outcome, t.why = search.NoMetric, cmp.Or(h.nothing(snapshot, run), why)
		return t, nil
	}
	t.value = metric.Value{Value: value, Better: betterColumn(column), Matches: 1}
	return t, nil
}

// betterColumn is the polarity of a resource: less of everything but occupancy.
func betterColumn(column string) metric.Polarity {
	if column == "occupancy" {
		return metric.Higher
	}
	return metric.Lower
}

// dump runs the dump command into a fresh folder and reads what it left there,
// or what the build left as artifacts. What was read is kept, so that a commit
// need not be dumped again.
func (h *hunt) dump(ctx context.Context, commit string) (*amdgpu.Snapshot, bench.RunResult, error) {
	dump := h.dumpPath()
	if err := errors.Join(os.RemoveAll(dump), os.MkdirAll(dump, 0o700)); err != nil {
		return nil, bench.RunResult{}, fmt.Errorf("making the dump folder: %w", err)
	}
	runner, err := h.dumper()
	if err != nil {
		return nil, bench.RunResult{}, err
	}
	begun := time.Now()
	run, err := runner.Run(ctx, commit)
	if err != nil || run.Outcome != bench.OK {
		return nil, run, err
	}
	if err := h.collect(dump, begun); err != nil {
		return nil, run, err
	}
	snapshot, err := amdgpu.Load(dump)
	if err != nil {
		return nil, run, err
	}
	return snapshot, run, h.keep(commit, snapshot)
}

// collect brings what the compiler left elsewhere into the dump folder: the
// artifacts of the build, or temporary files in the tree.
func (h *hunt) collect(dump string, begun time.Time) error {
	if h.spec.Dump == "" {
		return h.collectArtifacts(dump)
	}
	if !noFiles(dump) {
		return nil
	}
	return h.collectTemps(dump, begun)
}

// artifacts lists what matches the patterns in the tree in use, relative to it.
func (h *hunt) artifacts() ([]string, error) {
	var list []string
	for _, glob := range h.spec.Artifact {
		files, err := fs.Glob(os.DirFS(h.place.ws.Dir()), filepath.ToSlash(filepath.Clean(glob)))
		if err != nil {
			return nil, fmt.Errorf("finding artifacts %q: %w", glob, err)
		}
		list = append(list, files...)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

func (h *hunt) collectArtifacts(dump string) error {
	list, err := h.artifacts()
	if err != nil {
		return err
	}
	for _, rel := range list {
		if err := into(dump, h.place.ws.Dir(), rel); err != nil {
			return fmt.Errorf("collecting artifact %q: %w", rel, err)
		}
	}
	return nil
}

// into makes the file or folder rel of tree appear below dump.
func into(dump, tree, rel string) error {
	from, to := filepath.Join(tree, rel), filepath.Join(dump, rel)
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(from); err == nil && os.Link(real, to) == nil {
		return nil
	}
	data, err := os.ReadFile(from) // on another file system
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// noFiles reports whether there is no file below dir.
func noFiles(dir string) bool {
	none := true
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			none = false
			return fs.SkipAll
		}
		return nil
	})
	return none
}

// collectTemps takes the device code that clang --save-temps leaves beside its
// output, under names such as gemm-hip-amdgcn-amd-amdhsa-gfx942.s.
func (h *hunt) collectTemps(dump string, begun time.Time) error {
	tree := h.place.ws.Dir()
	return filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || !strings.Contains(d.Name(), "-amd-amdhsa") || !slices.Contains([]string{".s", ".out", ".hsaco"}, filepath.Ext(path)) {
			return nil
		}
		info, err := d.Info()
		if err != nil || info.ModTime().Before(begun.Add(-time.Second)) {
			return err
		}
		rel, err := filepath.Rel(tree, path)
		if err != nil {
			return err
		}
		return into(dump, tree, rel)
	})
}

// noKernel begins what is said of a dump without machine code.
const noKernel = "the dump has no kernel"

// nothing says why a dump that went well has no kernel; "" when it has one.
func (h *hunt) nothing(s *amdgpu.Snapshot, run bench.RunResult) string {
	if len(s.Kernels) > 0 {
		return ""
	}
	var text string
	switch {
	case h.spec.Dump == "" && len(h.spec.Artifact) > 0:
		list, err := h.artifacts()
		if text = fmt.Sprintf("%d files match %q", len(list), h.spec.Artifact); err != nil {
			text = err.Error()
		}
	case noFiles(h.dumpPath()):
		text = "the command ended well and wrote nothing to {dump_dir}, nor did it leave temporary device code in the tree; a compiler that found its code in a cache dumps none"
	default:
		text = "what the command wrote to {dump_dir} was read"
	}
	for i, skip := range s.Skipped {
		if i == 3 {
			break
		}
		text += fmt.Sprintf("; %s: %s", skip.File, skip.Reason)
	}
	for _, p := range s.Problems {
		if p.Class != amdgpu.InputEmpty {
			text += "; " + p.String()
			break
		}
	}
	text = noKernel + ": " + text
	if tail := lastLines(string(run.Stdout.Head) + string(run.Stdout.Tail) + string(run.Stderr.Head) + string(run.Stderr.Tail)); tail != "" {
		text += "; the command printed: " + tail
	}
	return text
}

// keptCode is the file that keeps what a commit's dump said.
func keptCode(commit string) string { return "isa-" + short(commit) + ".json" }

// keep leaves a snapshot in the run's folder.
func (h *hunt) keep(commit string, s *amdgpu.Snapshot) error {
	if len(s.Kernels) == 0 {
		return nil
	}
	var b strings.Builder
	if err := s.WriteJSON(&b); err != nil {
		return err
	}
	_, err := h.run.WriteFile(keptCode(commit), []byte(b.String()))
	return err
}

// codeAt is the machine code of a commit: what an earlier dump of this run
// kept, else it is checked out, built and dumped. The text says why there is
// none.
func (h *hunt) codeAt(ctx context.Context, commit string) (s *amdgpu.Snapshot, why string, err error) {
	if s, err := amdgpu.Load(filepath.Join(h.run.Dir, keptCode(commit))); err == nil && len(s.Kernels) > 0 {
		return s, "", nil
	}
	if err := h.settle(ctx); err != nil {
		return nil, "", err
	}
	if err := h.checkout(ctx, commit); err != nil {
		return nil, "", err
	}
	if h.spec.BuildCmd != "" && h.place.built != commit {
		if why, err := h.buildAside(ctx, commit); why != "" || err != nil {
			return nil, why, err
		}
	}
	if err := h.effect("run", "", "dumping the machine code of "+short(commit)); err != nil {
		return nil, "", err
	}
	ctx, cancel := h.interruptible(ctx)
	defer cancel()
	s, run, err := h.dump(ctx, commit)
	switch {
	case err != nil:
		return nil, "", err
	case run.Outcome != bench.OK:
		return nil, fmt.Sprintf("%s: %s: %s", run.Outcome, run.Detail, lastLines(run.Tail)), nil
	}
	return s, h.nothing(s, run), nil
}

// buildAside builds a commit outside of a visit, and journals it where the
// commit is a position.
func (h *hunt) buildAside(ctx context.Context, commit string) (why string, err error) {
	if h.state.Plan != nil {
		if i := h.state.Plan.IndexOf(commit); i >= 0 && h.state.Plan.Positions[i].Commit == commit {
			if ok, err := h.build(ctx, i, commit); ok || err != nil {
				return "", err
			}
			return "it does not build", nil
		}
	}
	if err := h.effect("build", h.place.ws.Dir(), "building "+short(commit)); err != nil {
		return "", err
	}
	res, err := h.buildOnce(ctx, commit)
	if err != nil {
		return "", err
	}
	if h.state.Plan == nil {
		if err := h.builtEarly(commit, res); err != nil {
			return "", err
		}
	}
	if res.Outcome == bench.OK {
		return "", nil
	}
	return fmt.Sprintf("%s: %s: %s", res.Outcome, res.Detail, lastLines(res.Tail)), nil
}

// interruptible is ctx that a request to pause or finish ends.
func (h *hunt) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	h.interrupt.set(func() { cancel(errInterrupted) })
	return ctx, func() {
		h.interrupt.set(nil)
		cancel(nil)
	}
}
