package gitrepo

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// git knows nothing of empty folders: a checkout that is killed may have made one
// for a file that never came.

// keepFolders notes the folders that hold nothing of the snapshot.
func (p *inPlace) keepFolders(ctx context.Context) (err error) {
	folders, err := emptyFolders(ctx, p.with(workIndex))
	p.s.Folders = []byte(strings.Join(folders, "\x00"))
	return err
}

// emptyFolders lists the folders, with a slash at the end, that hold no file of
// c's index and are not ignored; nested repositories are among them.
func emptyFolders(ctx context.Context, c command) (folders []string, err error) {
	out, err := c.run(ctx, "ls-files", "-z", "--others", "--directory", "--exclude-standard")
	for _, name := range splitNUL(out) {
		if strings.HasSuffix(name, "/") {
			folders = append(folders, name)
		}
	}
	return folders, err
}

// removeFolders removes empty folders that came since.
func (p *inPlace) removeFolders(ctx context.Context, c command) error {
	if !p.keptModes() {
		return nil // saved by a version that did not note them
	}
	folders, err := emptyFolders(ctx, c)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(p.repo.root)
	if err != nil {
		return err
	}
	defer root.Close()
	before, ignored := splitNUL(p.s.Folders), p.ignoredBefore()
	for _, name := range folders {
		if !slices.Contains(before, name) && !ignored(name) {
			removeEmpty(root, strings.TrimSuffix(name, "/"))
		}
	}
	return nil
}

// removeEmpty removes a folder if there is nothing but folders in it. Those of a
// repository that came since are a part of it, however empty.
func removeEmpty(root *os.Root, folder string) {
	var folders []string
	err := fs.WalkDir(root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = fs.ErrExist
		}
		folders = append(folders, name)
		return err
	})
	if err != nil {
		return
	}
	for _, name := range slices.Backward(folders) {
		_ = root.Remove(name) // no longer empty: stays
	}
}
