package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Submodules of our own trees are shared clones of the user's, made by us and
// not by git submodule: that would fetch all of them again for every worktree,
// and register them in the user's configuration.

// module is one entry of .gitmodules, overridden by the configuration.
type module struct{ name, path, url, update string }

// moduleSource is where the user has a repository whose submodules are wanted:
// its common git folder and its checkout, either may be "".
type moduleSource struct{ common, root string }

// updateSubmodules puts all submodules, recursively, at the commits that hash
// pins. Without the network where the user's clones have them.
func (w *Workspace) updateSubmodules(ctx context.Context, hash string) ([]string, error) {
	w.subs = nil
	base, err := w.repo.defaultURL(ctx)
	if err != nil {
		return nil, err
	}
	return w.updateModules(ctx, w.git(), hash, base, moduleSource{w.repo.common, w.repo.root})
}

func (w *Workspace) updateModules(ctx context.Context, c command, hash, base string, src moduleSource) (warnings []string, err error) {
	if _, err := os.Lstat(filepath.Join(c.dir, ".gitmodules")); err != nil {
		return nil, nil
	}
	modules, err := readModules(ctx, c, hash)
	if err != nil {
		return nil, err
	}
	links, err := gitlinks(ctx, c, hash)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(links)) {
		m, ok := modules[path]
		if !ok {
			warnings = append(warnings, fmt.Sprintf("submodule %q is not in .gitmodules and stays empty", path))
			continue
		}
		if m.update == "none" {
			continue
		}
		m.url = relativeURL(base, m.url)
		more, err := w.updateModule(ctx, c, m, links[path], src)
		warnings = append(warnings, more...)
		if err != nil {
			return warnings, fmt.Errorf("submodule %q at %.12s: %w", path, links[path], err)
		}
	}
	return warnings, nil
}

func (w *Workspace) updateModule(ctx context.Context, c command, m module, pinned string, src moduleSource) ([]string, error) {
	dir, err := plainFolder(c.dir, m.path)
	if err != nil {
		return nil, err
	}
	sub := c
	sub.dir = dir
	local := src.find(m)
	if mark, err := readMark(filepath.Join(dir, ".git")); err != nil || mark != w.wantMark() {
		if w.absent[m.url] {
			return nil, nil
		}
		if err := w.cloneModule(ctx, c, m, dir, local); err != nil {
			return w.leaveEmpty(ctx, m, local, err)
		}
	}
	if err := fetchCommit(ctx, sub, m.url, pinned); err != nil {
		return nil, err
	}
	from, _ := sub.line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err := dropModules(ctx, sub, from, pinned); err != nil {
		return nil, err
	}
	removeLocks(filepath.Join(dir, ".git"), cloneLocks)
	if _, err := sub.run(ctx, "checkout", "--force", "--quiet", "--detach", "--no-recurse-submodules", pinned); err != nil {
		return nil, err
	}
	w.subs = append(w.subs, dir)
	inner := moduleSource{common: local}
	if src.root != "" {
		inner.root = filepath.Join(src.root, m.path)
	}
	return w.updateModules(ctx, sub, pinned, m.url, inner)
}

// leaveEmpty lets a submodule be empty that the user has not checked out either
// and that cannot be had: what the user builds does not need it. It stays so in
// this workspace, or commits would differ by the state of the network.
func (w *Workspace) leaveEmpty(ctx context.Context, m module, local string, err error) ([]string, error) {
	if local != "" || ctx.Err() != nil {
		return nil, err
	}
	if w.absent == nil {
		w.absent = map[string]bool{}
	}
	w.absent[m.url] = true
	return []string{fmt.Sprintf("submodule %q stays empty, as in the repository: %v", m.path, err)}, nil
}

func (w *Workspace) cloneModule(ctx context.Context, c command, m module, dir, local string) error {
	source := local
	if source == "" {
		source = m.url
		// What .gitmodules names is not the user's own word: as git does, let
		// only such protocols through as are safe for that.
		c.env = append(c.env, "GIT_PROTOCOL_FROM_USER=0")
	}
	if source == "" {
		return errors.New("no URL, and no clone in the repository")
	}
	if err := cloneInto(ctx, c, source, dir); err != nil {
		return err
	}
	c.dir = dir
	if _, err := c.run(ctx, "config", "--local", "remote.origin.url", m.url); err != nil {
		return err
	}
	return w.writeMark(filepath.Join(dir, ".git"))
}

// fetchCommit makes sure that a commit is there: by hash, and from servers that
// do not allow that with everything.
func fetchCommit(ctx context.Context, c command, url, hash string) error {
	if err := checkHashes(hash); err != nil {
		return err
	}
	if _, err := c.run(ctx, "cat-file", "-e", hash+"^{commit}"); err == nil {
		return nil
	}
	c.env = append(c.env, "GIT_PROTOCOL_FROM_USER=0")
	if _, err := c.run(ctx, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--end-of-options", url, hash); err == nil {
		return nil
	}
	_, err := c.run(ctx, "fetch", "--quiet", "--no-recurse-submodules", "--end-of-options", url, "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
	return err
}

// find returns the git folder of the user's own clone of a submodule, or "".
func (s moduleSource) find(m module) string {
	var candidates []string
	if s.common != "" && filepath.IsLocal(m.name) {
		candidates = append(candidates, filepath.Join(s.common, "modules", m.name))
	}
	if s.root != "" {
		candidates = append(candidates, filepath.Join(s.root, m.path, ".git"))
	}
	for _, dir := range candidates {
		if _, err := os.Stat(filepath.Join(dir, "objects")); err == nil {
			return dir
		}
	}
	return ""
}

// readModules reads .gitmodules of a commit, by path; the configuration has the
// last word on URL and update, as in git.
func readModules(ctx context.Context, c command, hash string) (map[string]module, error) {
	byName := map[string]module{}
	sources := [][]string{{"--blob", hash + ":.gitmodules"}, {}}
	for i, where := range sources {
		args := append(append([]string{"config", "-z"}, where...), "--get-regexp", `^submodule\..*\.(path|url|update)$`)
		out, err := c.run(ctx, args...)
		if err != nil && exitCode(err) != 1 { // 1: no such key
			return nil, err
		}
		for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			key, value, _ := strings.Cut(record, "\n")
			key = strings.TrimPrefix(key, "submodule.")
			dot := strings.LastIndexByte(key, '.')
			if dot < 0 {
				continue
			}
			m, known := byName[key[:dot]]
			if i > 0 && !known {
				continue
			}
			m.name = key[:dot]
			switch field := key[dot+1:]; {
			case field == "path" && i == 0:
				m.path = value
			case field == "url":
				m.url = value
			case field == "update":
				m.update = value
			}
			byName[m.name] = m
		}
	}
	byPath := map[string]module{}
	for _, m := range byName {
		byPath[filepath.ToSlash(filepath.Clean(m.path))] = m
	}
	return byPath, nil
}

// relativeURL resolves a submodule URL that begins with ./ or ../ against the
// URL of its superproject, as git does (relative_url in git's remote.c): each
// ../ takes one component off, at a slash or, in scp syntax, at the colon.
func relativeURL(base, url string) string {
	if !strings.HasPrefix(url, "./") && !strings.HasPrefix(url, "../") {
		return url
	}
	base = strings.TrimRight(base, "/")
	sep := "/"
	for {
		if rest, ok := strings.CutPrefix(url, "./"); ok {
			url = rest
			continue
		}
		rest, ok := strings.CutPrefix(url, "../")
		if !ok {
			return base + sep + strings.TrimRight(url, "/")
		}
		url = rest
		if i := strings.LastIndexByte(base, '/'); i >= 0 {
			base, sep = base[:i], "/"
		} else if i := strings.LastIndexByte(base, ':'); i >= 0 {
			base, sep = base[:i], ":"
		}
	}
}

// plainFolder joins path to dir and refuses to go through anything but folders:
// a commit can have a symbolic link where a submodule goes.
func plainFolder(dir, path string) (string, error) {
	if !filepath.IsLocal(path) {
		return "", fmt.Errorf("path %q leaves the tree", path)
	}
	at := dir
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err == nil && !info.IsDir() {
			return "", fmt.Errorf("%q is in the way", at)
		}
	}
	return at, nil
}

// dropSubmodules removes the folders of submodules that a commit no longer has:
// git would leave them as untracked files, and fail where the commit has a file
// in their place.
func (w *Workspace) dropSubmodules(ctx context.Context, from, to string) error {
	return dropModules(ctx, w.git(), from, to)
}

func dropModules(ctx context.Context, c command, from, to string) error {
	if _, err := os.Lstat(filepath.Join(c.dir, ".gitmodules")); err != nil || from == "" || from == to {
		return nil
	}
	old, err := gitlinks(ctx, c, from)
	if err != nil || len(old) == 0 {
		return err
	}
	links, err := gitlinks(ctx, c, to)
	if err != nil {
		return err
	}
	for path := range old {
		if _, stays := links[path]; stays {
			continue
		}
		dir, err := plainFolder(c.dir, path)
		if err == nil {
			err = removeAll(dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
