package gitrepo

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Left finds what a run left that recorded nothing, or whose record is gone, by
// the marks that our trees carry: at base, the Dir of its clones and worktrees,
// and in place in the checkout of repoDir, either of which may be "". It returns
// steps for Recover, by mode. It changes nothing.
func Left(ctx context.Context, repoDir, base, run string) (map[Mode]string, error) {
	left := map[Mode]string{}
	var r *Repo
	if repoDir != "" {
		var err error
		if r, err = Open(ctx, repoDir); err != nil {
			return nil, err
		}
		if r.inPlaceOf(ctx, run) {
			left[ModeInPlace] = prepareStep(ModeInPlace, r.root, r.common, run)
		}
	}
	if base == "" {
		return left, nil
	}
	half := readOwner(base + ".lock") // of a tree that was being made or removed
	if m, err := readMark(filepath.Join(base, ".git")); err == nil && m.Run == run {
		left[ModeClone] = prepareStep(ModeClone, base, m.Common, run)
	} else if err != nil && half.Run == run && half.Common != "" {
		left[ModeClone] = prepareStep(ModeClone, base, half.Common, run)
	}
	for _, common := range commons(r, base, half) {
		admin := adminFolder(common, base)
		m, err := readMark(admin)
		if err == nil && m.Run == run || err != nil && half.Run == run && exists(admin) {
			left[ModeWorktree] = prepareStep(ModeWorktree, filepath.Join(base, linkedName(base)), common, run)
		}
	}
	return left, nil
}

// Marked is the run whose clone dir is, "" if it is none of ours.
func Marked(dir string) string {
	m, err := readMark(filepath.Join(dir, ".git"))
	if err != nil {
		return ""
	}
	return m.Run
}

// prepareStep is the step that a run records before it makes a tree.
func prepareStep(mode Mode, dir, common, run string) string {
	line, _ := json.Marshal(step{Op: "prepare", Mode: mode, Dir: dir, Common: common, Run: run}) // strings marshal
	return string(line)
}

// commons are the repositories that a worktree at base may belong to.
func commons(r *Repo, base string, half owner) (list []string) {
	if r != nil {
		list = append(list, r.common)
	}
	if half.Common != "" {
		list = append(list, half.Common)
	}
	// "gitdir: COMMON/worktrees/NAME"
	link, err := os.ReadFile(filepath.Join(base, linkedName(base), ".git"))
	if admin, ok := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir: "); err == nil && ok {
		list = append(list, filepath.Dir(filepath.Dir(admin)))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// inPlaceOf says whether the checkout is in the hands of a run.
func (r *Repo) inPlaceOf(ctx context.Context, run string) bool {
	p := &inPlace{repo: r, dir: journalFolder(r.gitDir)}
	return exists(p.dir) && p.holder(ctx, []string{run}) == run
}

// holder is the run whose journal this is. Where that cannot be read, the lock
// tells, or else which of some runs has saved a checkout. "" is nobody: a save
// that was killed before its first write.
func (p *inPlace) holder(ctx context.Context, runs []string) string {
	if p.load() == nil {
		return p.s.Run
	}
	if o := readOwner(p.path(ownerFile)); o.Run != "" {
		return o.Run
	}
	for _, run := range runs {
		if _, err := p.git().run(ctx, "rev-parse", "--verify", "--quiet", saveRefs+refName(run)); err == nil {
			return run
		}
	}
	return ""
}
