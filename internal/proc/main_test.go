package proc_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"perfbisect/internal/proc"
)

// ownerArg turns the test binary into a program that owns a supervisor and is
// meant to be killed: it runs its remaining argument as a shell command.
const ownerArg = "__owner"

func TestMain(m *testing.M) {
	if proc.IsSupervisor(os.Args) {
		proc.SupervisorMain()
	}
	if len(os.Args) == 3 && os.Args[1] == ownerArg {
		owner(os.Args[2])
	}
	goleak.VerifyTestMain(m)
}

func owner(command string) {
	s, err := proc.StartSupervisor(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	result, err := s.Run(context.Background(), proc.Command{Argv: proc.Shell(command)})
	fmt.Println("unexpected end:", result, err)
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
