package proc_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"perfbisect/internal/proc"
)

// TestHold checks that a supervisor keeps the files it was given, until Close,
// and that its commands do not.
func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	s, err := proc.StartSupervisor(t.Context(), nil, f)
	if err != nil {
		t.Fatal(err)
	}
	f.Close() // as if we had been killed
	if !locked(t, path) {
		t.Error("the lock is free while the supervisor lives")
	}
	if r := run(t, s, proc.Command{Argv: proc.Shell("ls -l /proc/self/fd || :")}); strings.Contains(string(r.Stdout.Bytes()), path) {
		t.Errorf("the command has the held file open:\n%s", r.Stdout.Bytes())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if locked(t, path) {
		t.Error("the lock is held after Close")
	}
}

func locked(t *testing.T, path string) bool {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}
