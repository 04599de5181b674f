package gitrepo

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// objects reads the object database through go-git, by full hash and never by
// name. It opens the bare storage and not a go-git repository, because the
// latter refuses repositories over settings that have nothing to do with
// objects (worktreeConfig, partialClone, ...).
type objects struct {
	common string
	mu     sync.Mutex // go-git's storage is not made for many readers
	store  *filesystem.Storage
}

func newObjects(common string) *objects {
	o := &objects{common: common}
	o.reopen()
	return o
}

// reopen forgets what was known of packs: anybody may have repacked. Never with
// ExclusiveAccess, which would keep it stale for ever.
func (o *objects) reopen() {
	o.store = filesystem.NewStorageWithOptions(osfs.New(o.common), cache.NewObjectLRUDefault(),
		filesystem.Options{AlternatesFS: osfs.New("/")})
}

// errUnread: go-git has no answer, git is to be asked.
var errUnread = errors.New("not readable by go-git")

// read runs f, once more with a fresh storage if f fails otherwise than by an
// answer of ours. A nil receiver reads nothing.
func (o *objects) read(f func(*filesystem.Storage) error) error {
	if o == nil {
		return errUnread
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	err := guarded(f, o.store)
	if err == nil || isAnswer(err) {
		return err
	}
	o.reopen()
	if err = guarded(f, o.store); err == nil || isAnswer(err) {
		return err
	}
	return fmt.Errorf("%w: %w", errUnread, err)
}

func isAnswer(err error) bool { return errors.Is(err, ErrTooLarge) || errors.Is(err, ErrNotFound) }

// guarded turns a panic over a damaged pack into an error: git may still read
// it, and says what is wrong if not.
func guarded(f func(*filesystem.Storage) error, s *filesystem.Storage) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("go-git: %v", p)
		}
	}()
	return f(s)
}

// errForeignText: the message has an encoding that git has to convert.
var errForeignText = errors.New("commit is not in UTF-8")

func (o *objects) commit(hash string) (Commit, error) {
	var c Commit
	err := o.read(func(s *filesystem.Storage) error {
		raw, err := object.GetCommit(s, plumbing.NewHash(hash))
		if err != nil {
			return err
		}
		if e := strings.ToUpper(string(raw.Encoding)); e != "" && e != "UTF-8" && e != "UTF8" {
			return errForeignText
		}
		c = Commit{
			Hash: hash, Tree: raw.TreeHash.String(),
			Author: raw.Author.Name, Email: raw.Author.Email,
			AuthorDate: raw.Author.When, CommitDate: raw.Committer.When,
		}
		for _, p := range raw.ParentHashes {
			c.Parents = append(c.Parents, p.String())
		}
		c.setMessage(raw.Message)
		return nil
	})
	return c, err
}

// entry finds path below the tree of a commit. A nil entry means absent; the
// empty path is the root tree.
func (o *objects) entry(hash, path string) (found *object.TreeEntry, err error) {
	err = o.read(func(s *filesystem.Storage) error {
		c, err := object.GetCommit(s, plumbing.NewHash(hash))
		if err != nil {
			return err
		}
		found, err = walkTree(s, c.TreeHash, path)
		return err
	})
	return found, err
}

func walkTree(s *filesystem.Storage, root plumbing.Hash, path string) (*object.TreeEntry, error) {
	at := &object.TreeEntry{Mode: filemode.Dir, Hash: root}
	for path != "" {
		if at.Mode != filemode.Dir {
			return nil, nil
		}
		tree, err := object.GetTree(s, at.Hash)
		if err != nil {
			return nil, err
		}
		var name string
		name, path, _ = strings.Cut(path, "/")
		if at = childOf(tree, name); at == nil {
			return nil, nil
		}
	}
	return at, nil
}

func childOf(tree *object.Tree, name string) *object.TreeEntry {
	for i := range tree.Entries {
		if tree.Entries[i].Name == name {
			return &tree.Entries[i]
		}
	}
	return nil
}

// blob reads a blob of at most limit bytes.
func (o *objects) blob(hash string, limit int64) (data []byte, err error) {
	err = o.read(func(s *filesystem.Storage) error {
		h := plumbing.NewHash(hash)
		size, err := s.EncodedObjectSize(h)
		if err != nil {
			return err
		}
		if size > limit {
			return fmt.Errorf("reading blob %.12s: %w: %d bytes, the limit is %d", hash, ErrTooLarge, size, limit)
		}
		b, err := object.GetBlob(s, h)
		if err != nil {
			return err
		}
		in, err := b.Reader()
		if err != nil {
			return err
		}
		defer in.Close()
		data, err = io.ReadAll(io.LimitReader(in, limit+1))
		return err
	})
	return data, err
}

// cleanPath makes a slash-separated path of a tree: no leading "./", no
// trailing slash; the root is "". Paths that leave the tree are refused.
func cleanPath(path string) (string, error) {
	clean := filepath.ToSlash(filepath.Clean(path))
	if clean == "." || path == "" {
		return "", nil
	}
	if !filepath.IsLocal(clean) {
		return "", fmt.Errorf("path %q leaves the repository", path)
	}
	return clean, nil
}
