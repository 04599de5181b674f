package bench

import (
	"os/exec"
	"testing"
	"time"
)

// BenchmarkRun is what one run costs beyond the user's command: environment,
// logs, guard and fingerprint on top of the supervisor. Each iteration runs the
// same command with os/exec too, so that the load of the machine meets both.
func BenchmarkRun(b *testing.B) {
	s := supervisor(b)
	r := runner(b, Config{
		Bench: []string{"/bin/true"}, CacheDir: b.TempDir(),
		Guard: &Guard{Supervisor: s}, Versions: &Versions{Supervisor: s},
	})
	if _, err := r.Run(b.Context(), commit); err != nil { // asks compilers and python once
		b.Fatal(err)
	}
	var ours, plain time.Duration
	for b.Loop() {
		t0 := time.Now()
		if result, err := r.Run(b.Context(), commit); err != nil || result.Outcome != OK {
			b.Fatal(result, err)
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
