package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"time"

	"perfbisect/internal/bench"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/proc"
)

// trees keeps built copies of our clone, so that a commit that is visited again
// needs no build. The tree in use always lies at the same path, because builds
// write absolute paths into what they make; the others are parked beside it and
// change places with it by rename. Each tree says itself what is built in it.
//
// Only clones are parked: a linked worktree cannot be moved, and the user's own
// tree is not ours to copy.
type trees struct {
	run  string           // whose trees they are: what another run built is not ours
	slot string           // the path at which builds and runs happen
	cp   *proc.Supervisor // copies, so that no copying outlives us
	on   bool             // trees can be parked at all
	max  int              // most parked trees; 0: no more than there are
	keep map[string]bool  // commits whose trees are parked for good: the ends
}

const (
	// parkedTrees bounds the disk that the hunts of a repository take: the two
	// ends, the two sides of the bracket, and two more that it is likely to come
	// back to.
	parkedTrees = 6
	// worthParking is the build time in seconds from which a copy of the tree
	// is tried. When a copy turns out to take longer than a build, it is the last.
	worthParking = 0.3
	treeSuffix   = ".tree-"
	builtMark    = "perfbisect-built" // in the tree's .git: the commit that is built in it
)

// built returns the commit that the tree in use was built at, or "".
func (t *trees) built() string {
	data, err := os.ReadFile(filepath.Join(t.slot, ".git", builtMark))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// setBuilt marks the tree in use as built at commit; "" takes the mark away,
// which comes before anything that changes the tree.
func (t *trees) setBuilt(commit string) error {
	mark := filepath.Join(t.slot, ".git", builtMark)
	if commit == "" {
		if err := os.Remove(mark); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("unmarking our tree: %w", err)
		}
		return nil
	}
	if err := os.WriteFile(mark, []byte(commit+"\n"), 0o600); err != nil {
		return fmt.Errorf("marking our tree as built: %w", err)
	}
	return nil
}

func (t *trees) parked(commit string) string { return t.prefix() + commit }

func (t *trees) prefix() string { return t.slot + treeSuffix + t.run + "-" }

// fetch puts the parked tree of commit in use, if there is one, and parks the
// one that was.
func (t *trees) fetch(commit string) (bool, error) {
	from := t.parked(commit)
	if _, err := os.Stat(from); err != nil {
		return false, nil
	}
	if err := t.putAside(); err != nil {
		return false, err
	}
	if err := os.Rename(from, t.slot); err != nil {
		return false, fmt.Errorf("fetching a parked tree: %w", err)
	}
	now := time.Now()
	_ = os.Chtimes(t.slot, now, now) // the age that evict goes by; an older one only evicts sooner
	return true, nil
}

// putAside parks the tree in use if it is built and has no copy yet, which a
// process that was killed just after copying may have left, and removes it
// otherwise.
func (t *trees) putAside() error {
	if old := t.built(); old != "" {
		if _, err := os.Stat(t.parked(old)); errors.Is(err, fs.ErrNotExist) {
			if err := os.Rename(t.slot, t.parked(old)); err != nil {
				return fmt.Errorf("parking our tree: %w", err)
			}
			return nil
		}
	}
	if err := bench.RemoveTree(t.slot); err != nil {
		return fmt.Errorf("removing our tree: %w", err)
	}
	return nil
}

// park leaves a copy of the tree in use behind, which then goes on to another
// commit with a warm build. buildS is what building it again would take.
func (t *trees) park(ctx context.Context, buildS float64) error {
	commit := t.built()
	if commit == "" || t.max == 0 || buildS < worthParking {
		return nil
	}
	if _, err := os.Stat(t.parked(commit)); err == nil {
		return nil
	}
	if err := t.evict(); err != nil {
		return err
	}
	tmp := t.slot + ".copying"
	if err := bench.RemoveTree(tmp); err != nil {
		return fmt.Errorf("copying our tree: %w", err)
	}
	begun := time.Now()
	if ok, err := t.copy(ctx, tmp); err != nil {
		return fmt.Errorf("copying our tree: %w", err)
	} else if !ok {
		_ = bench.RemoveTree(tmp) // no room for it: the hunt goes on without the copy
		t.max = 0
		return nil
	}
	if time.Since(begun).Seconds() > buildS {
		t.max = 0 // what is parked stays in use
	}
	if err := os.Rename(tmp, t.parked(commit)); err != nil {
		return fmt.Errorf("parking our tree: %w", err)
	}
	return nil
}

// copy copies the tree in use with times, modes and links, sharing blocks where
// the file system can. It reports false when that did not work.
func (t *trees) copy(ctx context.Context, to string) (bool, error) {
	argv := []string{"cp", "-a"}
	if runtime.GOOS == "linux" {
		argv = append(argv, "--reflink=auto")
	}
	r, err := t.cp.Run(ctx, proc.Command{Argv: append(argv, "--", t.slot, to)})
	if err == nil && r.Canceled {
		err = context.Cause(ctx)
	}
	return r.ExitCode == 0, err
}

// evict makes room for one more parked tree by removing those that were used
// longest ago, those of other runs first, and never an end of ours.
func (t *trees) evict() error {
	all, err := t.all()
	if err != nil {
		return err
	}
	var old []parkedTree
	for _, p := range all {
		if !t.mine(p.path) || !t.keep[p.commit] {
			old = append(old, p)
		}
	}
	sort.SliceStable(old, func(i, j int) bool {
		if a, b := t.mine(old[i].path), t.mine(old[j].path); a != b {
			return b
		}
		return old[i].used.Before(old[j].used)
	})
	for n := len(all); n >= t.max && len(old) > 0; n-- {
		if err := bench.RemoveTree(old[0].path); err != nil {
			return fmt.Errorf("removing a parked tree: %w", err)
		}
		old = old[1:]
	}
	return nil
}

// parkedTree is a tree that is not in use.
type parkedTree struct {
	path, run, commit string
	used              time.Time
}

// all lists the parked trees of every run.
func (t *trees) all() (list []parkedTree, err error) {
	paths, err := filepath.Glob(globEscape(t.slot+treeSuffix) + "*")
	for _, path := range paths {
		name := strings.TrimPrefix(path, t.slot+treeSuffix)
		at := max(strings.LastIndexByte(name, '-'), 0)
		p := parkedTree{path: path, run: name[:at], commit: strings.TrimPrefix(name[at:], "-")}
		if info, err := os.Stat(path); err == nil {
			p.used = info.ModTime()
			list = append(list, p)
		}
	}
	return list, err
}

// clear removes what is parked of this run.
func (t *trees) clear() error {
	return t.remove(func(p parkedTree) bool { return t.mine(p.path) })
}

// takeOver makes the slot ours. What other runs parked stays as long as they may
// come back to it and evict does not need the room, and so does the tree in use if
// it is built. It must be called before anything else is done in the slot.
func (t *trees) takeOver(comesBack func(run string) bool) error {
	err := errors.Join(
		t.remove(func(p parkedTree) bool { return !t.mine(p.path) && !comesBack(p.run) }),
		bench.RemoveTree(t.slot+".copying"))
	run, commit := gitrepo.Marked(t.slot), t.built()
	if err != nil || run == "" || run == t.run || commit == "" || !comesBack(run) {
		return err
	}
	others := trees{run: run, slot: t.slot, max: parkedTrees}
	if err := others.evict(); err != nil {
		return err
	}
	return others.putAside()
}

func (t *trees) mine(path string) bool { return strings.HasPrefix(path, t.prefix()) }

func (t *trees) remove(which func(parkedTree) bool) error {
	all, err := t.all()
	for _, p := range all {
		if which(p) {
			err = errors.Join(err, bench.RemoveTree(p.path))
		}
	}
	return err
}

// globEscape makes path stand for itself in a pattern.
func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
