package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
		"HIPCC_COMPILE_FLAGS_APPEND=--save-temps=obj", "HIPCC_LINK_FLAGS_APPEND=--save-temps=obj",
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
	var before fileStamps
	if h.spec.Dump != "" {
		if before, err = stampFiles(h.place.ws.Dir()); err != nil {
			return nil, bench.RunResult{}, fmt.Errorf("looking for the files of the tree: %w", err)
		}
	}
	run, err := runner.Run(ctx, commit)
	if err != nil || run.Outcome != bench.OK {
		return nil, run, err
	}
	if err := h.collect(dump, before); err != nil {
		return nil, run, err
	}
	snapshot, err := amdgpu.Load(dump)
	if err != nil {
		return nil, run, err
	}
	return snapshot, run, h.keep(commit, snapshot)
}
