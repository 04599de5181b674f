package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"perfbisect/internal/proc"
)

// DefaultHealthTimeout bounds the health probe: on a machine with a hung GPU
// rocminfo itself can hang for minutes.
const DefaultHealthTimeout = time.Minute

// HealthError says that the health probe failed: whatever is measured from now on
// says nothing about commits.
type HealthError struct {
	Command []string
	// Detail is how it ended, Tail the end of its output.
	Detail, Tail string
}

func (e *HealthError) Error() string {
	return fmt.Sprintf("GPU not healthy: %s: %s", strings.Join(e.Command, " "), e.Detail)
}

// Healthy runs the health probe; commit only says where its log goes. It returns
// nil if there is no probe, and a *HealthError if the probe fails or hangs.
func (r *Runner) Healthy(ctx context.Context, commit string) error {
	if len(r.config.Health) == 0 {
		return nil
	}
	if err := r.ready(commit); err != nil {
		return err
	}
	p, err := r.execute(ctx, commit, "health", proc.Command{
		Argv: r.config.Health, Timeout: r.config.HealthTimeout, MergeStderr: true,
	})
	if err != nil {
		return err
	}
	if p.StartError == "" && !p.TimedOut && p.ExitCode == 0 && p.Unkillable == 0 {
		return nil
	}
	return &HealthError{Command: r.config.Health, Detail: describe(p), Tail: tailOf(p.Stdout)}
}

// healthPresets are probes that talk to the device, with the device file without
// which there is nothing to talk to. rocminfo opens /dev/kfd and creates a queue
// of agents; nvidia-smi and amd-smi query every device through the driver.
var healthPresets = []struct {
	device string
	argv   []string
}{
	{"/dev/kfd", []string{"rocminfo"}},
	{"/dev/kfd", []string{"amd-smi", "list"}},
	{"/dev/nvidiactl", []string{"nvidia-smi", "--query-gpu=index,pstate", "--format=csv,noheader"}},
}

// HealthPreset returns the first preset whose device and program exist under env,
// or nil. Run it once before the hunt: a probe that fails there is no probe.
func HealthPreset(env []string) []string {
	for _, p := range healthPresets {
		if _, err := os.Stat(p.device); err == nil && which(env, p.argv[0]) != "" {
			return p.argv
		}
	}
	return nil
}

// which returns the path of the program name in the PATH of env, or "".
func which(env []string, name string) string {
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}
