package proc

import (
	"os"
	"os/exec"
	"slices"
	"testing"
)

// Both ways to find the tree see a child and a grandchild, and only theirs.
func TestDescendants(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "sleep 60 & echo $!; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, pid := range descendants() {
			p, _ := os.FindProcess(pid)
			_ = p.Kill()
		}
		_ = cmd.Wait() // "signal: killed"
	}()
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]int{"children": descendants(), "stat": scanDescendants()} {
		if len(list) != 2 || list[0] != cmd.Process.Pid || slices.Contains(list, os.Getpid()) {
			t.Errorf("%s: %v, want %d and its child", name, list, cmd.Process.Pid)
		}
	}
	if zombie(os.Getpid()) {
		t.Error("this process counts as dead")
	}
}
