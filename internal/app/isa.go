package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"perfbisect/amdgpu"
	"perfbisect/engine/search"
	"perfbisect/internal/bench"
	"perfbisect/internal/metric"
)

// isa reports whether the hunt's metric is a resource of the machine code.
func (h *hunt) isa() bool { return strings.HasPrefix(h.spec.Metric, "isa:") }

// dumpDir is where machine code of the tree at dir is dumped: beside it, and at
// the same path for every commit.
func dumpDir(dir string) string { return dir + ".dump" }

// dumpEnv is what makes the compilers that look at their environment dump:
// FlyDSL, and Triton into a cache of its own. A cache hit would dump nothing.
func dumpEnv(dump string) []string {
	return []string{
		"PERFBISECT_DUMP_DIR=" + dump,
		"FLYDSL_DUMP_IR=1", "FLYDSL_DUMP_DIR=" + dump, "FLYDSL_RUNTIME_ENABLE_CACHE=0",
		"TRITON_CACHE_DIR=" + filepath.Join(dump, "triton"), "TRITON_ALWAYS_COMPILE=1",
	}
}

// dumpCommand is the command that dumps machine code. With artifacts the build
// itself makes it, and nothing has to be run.
func (h *hunt) dumpCommand() []string {
	if h.spec.Dump == "" {
		return []string{"/bin/sh", "-c", ":"}
	}
	return shell(withDumpDir(h.spec.Dump, dumpDir(h.slot())))
}

// withDumpDir replaces {dump_dir} by our own path, quoted where a shell would
// split it.
func withDumpDir(command, dump string) string {
	if strings.ContainsAny(dump, " \t\n'\"\\$`*?[]{}()<>|&;#~!") {
		dump = "'" + strings.ReplaceAll(dump, "'", `'\''`) + "'"
	}
	return strings.ReplaceAll(command, "{dump_dir}", dump)
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
		t.outcome, t.why = search.NoMetric, why
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
// or what the build left as artifacts.
func (h *hunt) dump(ctx context.Context, commit string) (*amdgpu.Snapshot, bench.RunResult, error) {
	dump := dumpDir(h.slot())
	if err := errors.Join(os.RemoveAll(dump), os.MkdirAll(dump, 0o700)); err != nil {
		return nil, bench.RunResult{}, fmt.Errorf("making the dump folder: %w", err)
	}
	run, err := h.place.runner.Run(ctx, commit)
	if err != nil || run.Outcome != bench.OK {
		return nil, run, err
	}
	if h.spec.Dump == "" {
		if err := h.collect(dump); err != nil {
			return nil, run, err
		}
	}
	snapshot, err := amdgpu.Load(dump)
	return snapshot, run, err
}

// collect links the artifacts of the build into the dump folder.
func (h *hunt) collect(dump string) error {
	for _, glob := range h.spec.Artifact {
		files, err := filepath.Glob(filepath.Join(globEscape(h.place.ws.Dir()), glob))
		if err != nil {
			return fmt.Errorf("finding artifacts %q: %w", glob, err)
		}
		for i, f := range files {
			to := filepath.Join(dump, fmt.Sprintf("%d-%s", i, filepath.Base(f)))
			if err := os.Symlink(f, to); err != nil && !errors.Is(err, os.ErrExist) {
				return fmt.Errorf("collecting artifact %q: %w", f, err)
			}
		}
	}
	return nil
}

// code is the hash of the device code that a build made, so that commits with
// equal code are known: per kernel for AMD, the whole files otherwise.
func (h *hunt) code(res bench.BuildResult) string {
	if res.Outcome != bench.OK || len(res.Artifacts) == 0 {
		return ""
	}
	return res.ArtifactHash
}
