package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"perfbisect/amdgpu"
	"perfbisect/internal/bench"
	"perfbisect/internal/gitrepo"
)

// CaptureRequest asks for the machine code of a commit.
type CaptureRequest struct {
	Rev     string
	DumpCmd string // run by /bin/sh; {dump_dir} is a fresh folder
	Out     string // where the dump goes; must not exist or be empty
	Spec    Spec   // repository, build, environment, timeouts
}

// Capture checks a commit out in our own clone, builds it, dumps its machine
// code and copies the dump to r.Out, whose path it returns.
func (a *App) Capture(ctx context.Context, r CaptureRequest) (string, error) {
	if r.Rev == "" || r.Out == "" {
		return "", errors.New("capturing machine code: a commit (--at) and a folder (--out) are needed")
	}
	out, err := filepath.Abs(r.Out)
	if err != nil {
		return "", err
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return "", fmt.Errorf("capturing machine code: folder %q is not empty", out)
	}
	r.Spec.Dump = r.DumpCmd
	if _, err := a.dumps(ctx, r.Spec, []string{r.Rev}, []string{out}); err != nil {
		return "", err
	}
	return out, nil
}

// Summarize reads the kernels of a dump, code object or snapshot, and saves
// them as a snapshot if saveTo is given and there are any. What there is at saveTo
// is never lost, unless it is a snapshot of ours. A path that cannot be read is
// an error; what is wrong below it is a problem of the snapshot.
func (a *App) Summarize(_ context.Context, path, saveTo string) (*amdgpu.Snapshot, error) {
	s, err := amdgpu.Load(path)
	if err != nil {
		return nil, fmt.Errorf("reading machine code of %q: %w", path, err)
	}
	if saveTo != "" {
		err = a.save(s, saveTo)
	}
	return s, err
}

// DiffISA compares the kernels of two paths, or of two commits that it dumps
// one after the other with the same command and parameters.
func (a *App) DiffISA(ctx context.Context, r ISARequest) (*amdgpu.Diff, error) {
	if r.BeforeRev == "" && r.AfterRev == "" {
		return amdgpu.ComparePaths(r.Before, r.After, amdgpu.Options{AllRows: r.AllRows}), nil
	}
	if r.BeforeRev == "" || r.AfterRev == "" {
		return nil, errors.New("comparing machine code of commits: both before_rev and after_rev are needed")
	}
	r.Spec.Repo, r.Spec.Dump = r.Repo, r.DumpCmd
	s, err := a.dumps(ctx, r.Spec, []string{r.BeforeRev, r.AfterRev}, []string{"", ""})
	if err != nil {
		return nil, err
	}
	return amdgpu.Compare(s[0], s[1], amdgpu.Options{AllRows: r.AllRows}), nil
}

// dumps makes a run that dumps the machine code of each revision in turn and
// copies it to outs, where one is given.
func (a *App) dumps(ctx context.Context, spec Spec, revs, outs []string) ([]*amdgpu.Snapshot, error) {
	if spec.Dump == "" && len(spec.Artifact) == 0 {
		return nil, errors.New("dumping machine code: a dump command (--dump) or the artifacts of the build (--artifact) are needed")
	}
	spec.Good, spec.Bad, spec.Metric = revs[0], revs[len(revs)-1], "isa:*:vgpr"
	if err := errors.Join(spec.absolutize(), spec.Validate(), spec.checkFiles()); err != nil {
		return nil, err
	}
	q, err := a.resolve(ctx, spec)
	if err != nil {
		return nil, err
	}
	q.Kind = "capture"
	run, err := a.make(q)
	if err != nil {
		return nil, err
	}
	h, err := a.open(run, q)
	if err != nil {
		return nil, err
	}
	defer h.journal.Close()
	snapshots, err := h.dumpAll(ctx, []string{q.Good, q.Bad}[:len(revs)], outs)
	if err == nil {
		return snapshots, h.leave(fmt.Errorf("%w: the dump is complete", errFinish))
	}
	return nil, errors.Join(err, h.leave(err))
}

func (h *hunt) dumpAll(ctx context.Context, commits, outs []string) ([]*amdgpu.Snapshot, error) {
	var err error
	if h.repo, err = gitrepo.Open(ctx, h.spec.Repo); err != nil {
		return nil, err
	}
	if err := h.mayDumpInPlace(ctx); err != nil {
		return nil, err
	}
	if err := h.settle(ctx); err != nil {
		return nil, err
	}
	var snapshots []*amdgpu.Snapshot
	for i, commit := range commits {
		s, err := h.dumpAt(ctx, commit, outs[i])
		if err != nil {
			return nil, fmt.Errorf("dumping machine code of %s: %w", short(commit), err)
		}
		snapshots = append(snapshots, s)
	}
	return snapshots, nil
}

// mayDumpInPlace refuses to use a checkout with uncommitted changes: a dump is no
// run that could wait for an answer.
func (h *hunt) mayDumpInPlace(ctx context.Context) error {
	q, err := h.mayUseCheckout(ctx)
	if q == nil || h.spec.Yes {
		return err
	}
	return &HintError{
		Err:   fmt.Errorf("using your checkout: %s", strings.ReplaceAll(q.Text, "\n", "\n  ")),
		Hints: []string{"--yes does that", "--checkout clone leaves your checkout alone"},
	}
}

// dumpAt checks out, builds and dumps one commit.
func (h *hunt) dumpAt(ctx context.Context, commit, out string) (*amdgpu.Snapshot, error) {
	if err := h.checkout(ctx, commit); err != nil {
		return nil, err
	}
	if h.spec.BuildCmd != "" {
		res, err := h.buildOnce(ctx, commit)
		if err != nil {
			return nil, err
		}
		if res.Outcome != bench.OK {
			return nil, fmt.Errorf("%s: %s: %s", res.Outcome, res.Detail, lastLines(res.Tail))
		}
	}
	s, run, err := h.dump(ctx, commit)
	if err != nil {
		return nil, err
	}
	if run.Outcome != bench.OK {
		return nil, fmt.Errorf("%s: %s: %s", run.Outcome, run.Detail, lastLines(run.Tail))
	}
	if why := h.nothing(s, run); why != "" {
		return nil, &HintError{
			Err:   errors.New(why),
			Hints: []string{"the command must write assembly or code objects to {dump_dir}", "a cache hit dumps nothing: switch the compiler's cache off"},
		}
	}
	if out == "" {
		return s, nil
	}
	return s, os.CopyFS(out, os.DirFS(dumpDir(h.slot())))
}
