package bench

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"perfbisect/internal/proc"
)

func TestMain(m *testing.M) {
	if proc.IsSupervisor(os.Args) {
		proc.SupervisorMain()
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // supervisors need not linger under -race
	goleak.VerifyTestMain(m)
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
