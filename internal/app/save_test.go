package app

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"perfbisect/amdgpu"
)

// oneKernel is the smallest snapshot that is worth saving.
func oneKernel() *amdgpu.Snapshot {
	k := amdgpu.Kernel{Key: "gemm", Name: "gemm", File: "gemm.co", Target: "gfx942"}
	k.Metrics[amdgpu.VGPR] = amdgpu.Cell{State: amdgpu.Value, Value: 128}
	return &amdgpu.Snapshot{Kernels: []amdgpu.Kernel{k}}
}

// TestSave: a snapshot makes a new file or replaces one of its kind, and what is
// refused leaves everything as it was.
func TestSave(t *testing.T) {
	var ours bytes.Buffer
	if err := oneKernel().WriteJSON(&ours); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, to, before string
		empty            bool // no kernel was read
		ok, written      bool
	}{
		{name: "a new file", to: "s.json", ok: true, written: true},
		{name: "an older snapshot", to: "s.json", before: ours.String(), ok: true, written: true},
		{name: "a file of the user", to: "notes.txt", before: "mine"},
		{name: "JSON of another tool", to: "s.json", before: `{"tool":"x","schema":1,"kernels":[]}`},
		{name: "JSON with something behind", to: "s.json", before: ours.String() + "mine"},
		{name: "Git's configuration", to: ".git/config", before: "[core]"},
		{name: "a new file of Git", to: ".git/hooks/post-commit"},
		{name: "a worktree's link", to: ".git"},
		{name: "a bare repository", to: "bare.git/hooks/post-commit"},
		{name: "a snapshot in Git's folder", to: ".git/s.json", before: ours.String()},
		{name: "outside of the permitted folder", to: "../s.json"},
		{name: "through a link to the outside", to: "out/s.json"},
		{name: "a link to a file", to: "link.json"},
		{name: "a folder", to: "bare.git"},
		{name: "a folder that is not there", to: "no/s.json"},
		{name: "no kernel", to: "s.json", empty: true, ok: true},
		{name: "no kernel, over a snapshot", to: "s.json", before: ours.String(), empty: true, ok: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			outside, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			root := filepath.Join(outside, "root")
			for _, dir := range []string{"repo/.git/hooks", "bare.git/hooks", "bare.git/objects", "bare.git/refs"} {
				mustDo(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
			}
			mustDo(t, os.WriteFile(filepath.Join(root, "bare.git/HEAD"), nil, 0o644))
			mustDo(t, os.Symlink(outside, filepath.Join(root, "out")))
			mustDo(t, os.WriteFile(filepath.Join(root, "target.json"), ours.Bytes(), 0o644))
			mustDo(t, os.Symlink("target.json", filepath.Join(root, "link.json")))
			if row.to != ".git" {
				mustDo(t, os.MkdirAll(filepath.Join(root, ".git/hooks"), 0o755))
			}
			path := filepath.Join(root, row.to)
			if row.before != "" {
				mustDo(t, os.WriteFile(path, []byte(row.before), 0o644))
			}
			before, _ := os.ReadFile(path)
			s := oneKernel()
			s.Kernels[0].File = "other.co"
			if row.empty {
				s.Kernels = nil
			}
			a := &App{cfg: Config{AllowRoots: []string{root}}}
			if err := a.save(s, path); (err == nil) != row.ok {
				t.Errorf("error %v", err)
			}
			after, _ := os.ReadFile(path)
			if written := bytes.Contains(after, []byte("other.co")); written != row.written {
				t.Errorf("written: %v, holds %q", written, after)
			}
			if !row.written && !bytes.Equal(before, after) {
				t.Errorf("was %q, is %q", before, after)
			}
		})
	}
}

// TestSummarizeMissing: a path that is not there is an error, and saves nothing.
func TestSummarizeMissing(t *testing.T) {
	dir := t.TempDir()
	to := filepath.Join(dir, "s.json")
	if s, err := newApp(t).Summarize(t.Context(), filepath.Join(dir, "missing"), to); err == nil {
		t.Errorf("no error, but %+v", s)
	}
	if _, err := os.Lstat(to); err == nil {
		t.Error("saved a snapshot of nothing")
	}
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
