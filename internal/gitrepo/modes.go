package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// git keeps no more of a file's rights than whether it can be executed, and
// writes it with those that the umask leaves. A file that only its owner may read
// would come back readable to all, so rights are kept beside the snapshot.

// rights are the bits of a file or folder that are kept.
const rights = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

// Kinds of what has rights, as the index tells them.
const (
	plainFile = iota
	executable
	folder
	kinds
)

// keepModes notes the rights of the snapshot's files and of their folders: those
// that most of a kind have, and what differs from them. only, if not nil, are the
// files that were added to an earlier snapshot.
func (p *inPlace) keepModes(ctx context.Context, only []string) error {
	entries, err := p.withRights(ctx)
	if err != nil {
		return err
	}
	chosen := map[string]bool{}
	for _, file := range only {
		chosen[file] = true
	}
	root, err := os.OpenRoot(p.repo.root)
	if err != nil {
		return err
	}
	defer root.Close()
	modes := map[string]fs.FileMode{}
	var often [kinds]map[fs.FileMode]int
	for name, kind := range entries {
		mode, ok := modeOf(root, name, kind)
		if !ok || only != nil && !chosen[name] {
			continue
		}
		if often[kind] == nil {
			often[kind] = map[fs.FileMode]int{}
		}
		modes[name] = mode
		often[kind][mode]++
	}
	if only == nil {
		p.s.Modes = nil
		for kind := range often {
			p.s.Usual[kind] = commonest(often[kind])
		}
	}
	for name, mode := range modes {
		if mode != p.s.Usual[entries[name]] {
			p.s.Modes = fmt.Appendf(p.s.Modes, "%d %s\x00", mode, name)
		}
	}
	return nil
}

func commonest(count map[fs.FileMode]int) (mode fs.FileMode) {
	for m, n := range count {
		if n > count[mode] || n == count[mode] && m < mode {
			mode = m
		}
	}
	return mode
}

// withRights lists the files of the snapshot and their folders by kind.
func (p *inPlace) withRights(ctx context.Context) (map[string]int, error) {
	out, err := p.with(workIndex).run(ctx, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	entries := map[string]int{}
	for _, line := range splitNUL(out) {
		about, name, _ := strings.Cut(line, "\t")
		switch {
		case strings.HasPrefix(about, "100755 "):
			entries[name] = executable
		case strings.HasPrefix(about, "100644 "):
			entries[name] = plainFile
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, known := entries[dir]; known {
				break
			}
			entries[dir] = folder
		}
	}
	return entries, nil
}

// modeOf returns the rights of a file or folder; ok is false if there is none of
// that kind.
func modeOf(root *os.Root, name string, kind int) (mode fs.FileMode, ok bool) {
	info, err := root.Lstat(name)
	if err != nil || info.IsDir() != (kind == folder) || !info.IsDir() && !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Mode() & rights, true
}

// putModes gives the files and folders their rights back.
func (p *inPlace) putModes(ctx context.Context) error {
	if !p.keptModes() {
		return nil // saved by a version that did not
	}
	entries, err := p.withRights(ctx)
	if err != nil {
		return err
	}
	special := map[string]fs.FileMode{}
	for _, record := range splitNUL(p.s.Modes) {
		text, name, _ := strings.Cut(record, " ")
		mode, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return fmt.Errorf("reading the rights of %q: %w", name, err)
		}
		special[name] = fs.FileMode(mode)
	}
	root, err := os.OpenRoot(p.repo.root)
	if err != nil {
		return err
	}
	defer root.Close()
	for name, kind := range entries {
		want, ok := special[name]
		if !ok {
			want = p.s.Usual[kind]
		}
		if mode, there := modeOf(root, name, kind); there && mode != want {
			err = errors.Join(err, root.Chmod(name, want))
		}
	}
	return err
}

func (p *inPlace) keptModes() bool { return p.s.Usual != [kinds]fs.FileMode{} }
