package proc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"perfbisect/internal/proc"
)

// ownerArg turns the test binary into a program that owns a supervisor and is
// meant to be killed: it runs its remaining argument as a shell command, again
// and again.
const ownerArg = "__owner"

func TestMain(m *testing.M) {
	if proc.IsSupervisor(os.Args) {
		proc.SupervisorMain()
	}
	if len(os.Args) == 3 && os.Args[1] == ownerArg {
		owner(os.Args[2])
	}
	logs, err := os.MkdirTemp("", "race")
	if err != nil {
		panic(err)
	}
	// For the supervisor processes: a race there must not go unseen, and they need
	// not wait a second before they exit.
	os.Setenv("GORACE", "atexit_sleep_ms=0 log_path="+filepath.Join(logs, "race"))
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if races, _ := filepath.Glob(filepath.Join(logs, "race.*")); len(races) > 0 {
			text, _ := os.ReadFile(races[0])
			fmt.Fprintf(os.Stderr, "race in a supervisor process:\n%s\n", text)
			code = 1
		}
		_ = os.RemoveAll(logs)
		os.Exit(code)
	}))
}

func owner(command string) {
	s, err := proc.StartSupervisor(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for err == nil {
		_, err = s.Run(context.Background(), proc.Command{Argv: proc.Shell(command)})
	}
	fmt.Println(err)
	os.Exit(1)
}

// supervisor returns a running supervisor that ends with the test.
func supervisor(t testing.TB) *proc.Supervisor {
	t.Helper()
	s, err := proc.StartSupervisor(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// run runs c and fails the test if that is an error.
func run(t testing.TB, s *proc.Supervisor, c proc.Command) proc.Result {
	t.Helper()
	r, err := s.Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
