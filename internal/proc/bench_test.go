package proc_test

import (
	"os/exec"
	"testing"
	"time"

	"perfbisect/internal/proc"
)

// BenchmarkRunTrue compares a supervised run with os/exec, one after the other
// within each iteration so that the load of the machine meets both alike.
// Metrics: ms more per run, and the ratio.
func BenchmarkRunTrue(b *testing.B) {
	s := supervisor(b)
	var ours, plain time.Duration
	for b.Loop() {
		t0 := time.Now()
		if r, err := s.Run(b.Context(), proc.Command{Argv: []string{"/bin/true"}}); err != nil || r.ExitCode != 0 {
			b.Fatal(r, err)
		}
		t1 := time.Now()
		if err := exec.Command("/bin/true").Run(); err != nil {
			b.Fatal(err)
		}
		ours += t1.Sub(t0)
		plain += time.Since(t1)
	}
	b.ReportMetric(float64(ours-plain)/float64(b.N)/1e6, "ms-more/run")
	b.ReportMetric(float64(ours)/float64(plain), "x-os/exec")
}

// BenchmarkStartSupervisor is the cost per hunt.
func BenchmarkStartSupervisor(b *testing.B) {
	for b.Loop() {
		s, err := proc.StartSupervisor(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFlood is the rate at which output is taken, capped file included.
func BenchmarkFlood(b *testing.B) {
	s := supervisor(b)
	dir := b.TempDir()
	b.SetBytes(256 << 20)
	for b.Loop() {
		r, err := s.Run(b.Context(), proc.Command{Argv: proc.Shell("yes | head -c 268435456"), StdoutPath: dir + "/out"})
		if err != nil || r.Stdout.Total != 256<<20 {
			b.Fatal(r.Stdout.Total, err)
		}
	}
}
