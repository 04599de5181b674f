package gitrepo

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var treeSeed = flag.Uint64("tree-seed", 1, "seed of the random trees; 0: the time")

var onlyTree = flag.Int("tree", -1, "only this one of the random trees")

var trees = flag.Int("trees", 12, "how many random trees in-place mode saves and restores")

// scribbler does to a checkout what users and benchmarks do, at random, on few
// names, some of which are files here and folders there.
type scribbler struct {
	*testRepo
	rng *rand.Rand
	log []string
}

func (s *scribbler) name() string {
	names := []string{"a", "b", "d", "d/a", "d/b", "d/e", "d/e/x", "l", "x.o", "build", "build/y", "keep.o", ".gitignore"}
	return names[s.rng.IntN(len(names))]
}

// clear makes room for a file at name.
func (s *scribbler) clear(name string) string {
	full := filepath.Join(s.dir, name)
	for dir := filepath.Dir(full); len(dir) > len(s.dir); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			os.Remove(dir)
		}
	}
	os.RemoveAll(full)
	os.MkdirAll(filepath.Dir(full), 0o755)
	return full
}

func (s *scribbler) git(args ...string) {
	cmd := exec.Command("git", args...) // may well fail: no such path
	cmd.Dir = s.dir
	_ = cmd.Run()
}

func (s *scribbler) scribble() {
	name := s.name()
	ops := []struct {
		what string
		do   func()
	}{
		{"write", func() { os.WriteFile(s.clear(name), fmt.Appendf(nil, "%d\n", s.rng.IntN(4)), 0o644) }},
		{"write", func() { os.WriteFile(s.clear(name), fmt.Appendf(nil, "%d\n", s.rng.IntN(4)), 0o644) }},
		{"run", func() { os.WriteFile(s.clear(name), []byte("#!\n"), 0o755) }},
		{"link", func() { os.Symlink("a", s.clear(name)) }},
		{"remove", func() { os.RemoveAll(filepath.Join(s.dir, name)) }},
		{"chmod", func() { os.Chmod(filepath.Join(s.dir, name), 0o755) }},
		{"add", func() { s.git("add", "--", name) }},
		{"add -f", func() { s.git("add", "-f", "--", name) }},
		{"add -N", func() { s.git("add", "-N", "--", name) }},
		{"rm --cached", func() { s.git("rm", "-rq", "--cached", "--", name) }},
		{"mv", func() { s.git("mv", name, s.name()) }},
		{"assume", func() { s.git("update-index", "--assume-unchanged", name) }},
		{"skip", func() { s.git("update-index", "--skip-worktree", name) }},
		{"ignore", func() { os.WriteFile(s.clear(".gitignore"), []byte("*.o\nbuild\n"), 0o644) }},
		{"ignore less", func() { os.WriteFile(s.clear(".gitignore"), []byte("x.o\n"), 0o644) }},
	}
	op := ops[s.rng.IntN(len(ops))]
	s.log = append(s.log, op.what+" "+name)
	op.do()
	// A tree of empty folders is not what is saved.
	for _, dir := range []string{"d/e", "d", "build"} {
		if info, err := os.Lstat(filepath.Join(s.dir, dir)); err == nil && info.IsDir() {
			os.Remove(filepath.Join(s.dir, dir)) // only if empty
		}
	}
}

func TestInPlaceRandomTrees(t *testing.T) {
	seed := *treeSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for i := range *trees {
		if *onlyTree >= 0 && i != *onlyTree {
			continue
		}
		s := &scribbler{testRepo: newRepo(t), rng: rand.New(rand.NewPCG(seed, uint64(i)))}
		var hashes []string
		for c := range 4 {
			for range 6 {
				s.scribble()
			}
			s.git("update-index", "--really-refresh")
			hashes = append(hashes, s.testRepo.commit(fmt.Sprint(c)))
			s.log = append(s.log, "commit")
		}
		for range 12 {
			s.scribble()
		}
		before := fingerprint(t, s.dir)
		w, err := s.open().Prepare(t.Context(), WorkspaceOptions{Mode: ModeInPlace, Run: "r", AllowForce: s.rng.IntN(2) == 0})
		if err != nil {
			t.Fatalf("seed %d tree %d: %v\n%s", seed, i, err, strings.Join(s.log, "\n"))
		}
		for range 3 {
			h := hashes[s.rng.IntN(len(hashes))]
			s.log = append(s.log, "step")
			if _, err := w.Checkout(t.Context(), h); err != nil {
				if w.opts.AllowForce {
					t.Fatalf("seed %d tree %d: %v\n%s", seed, i, err, strings.Join(s.log, "\n"))
				}
				break // something of the user's is in the way
			}
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatalf("seed %d tree %d: %v\n%s", seed, i, err, strings.Join(s.log, "\n"))
		}
		same(t, fmt.Sprintf("seed %d tree %d, after %s", seed, i, strings.Join(s.log, ", ")), before, fingerprint(t, s.dir))
		if t.Failed() {
			return
		}
	}
}
