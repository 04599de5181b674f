package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"perfbisect/amdgpu"
	"perfbisect/internal/bench"
)

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
