// Package bench builds and runs the user's commands in one checkout (a slot) and
// records what they were run under: caches of their own for every commit, the
// state of GPU and CPU, the versions of driver and compiler.
//
// It says how a command ended. It never reads a metric out of the output, never
// decides whether a commit is good or bad, never checks anything out and never
// changes a clock, a governor or any other setting of the machine.
//
// Read [Config] first, then [Runner.Build] and [Runner.Run].
package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"perfbisect/internal/proc"
)

// Config says what is built and run, and where.
type Config struct {
	// Dir is the checkout, an absolute path.
	Dir string
	// Slot is the number of this checkout among those that work at once, from 0.
	Slot int
	// Build and Bench are argv; see proc.Shell for command lines. An empty Build
	// means that nothing is built.
	Build, Bench []string
	// BuildFor replaces Build for some commits; the first entry that has the
	// commit counts.
	BuildFor []RangeCommand
	// BuildTimeout and Timeout bound one build and one run; 0 means none.
	BuildTimeout, Timeout time.Duration
	// ExitMetric says that the exit code is the measurement, as for
	// `git bisect run`: then 1 to 125 is no failure.
	ExitMetric bool
	// BaseEnv is the environment that Env is added to; nil means our own, without
	// the variables that would point git at another repository.
	BaseEnv []string
	// Env is the user's additions, K=V; {commit}, {short} and {slot} in a value
	// are replaced.
	Env []string
	// CacheDir is the root of the per-commit caches, ours alone; "" or ShareCaches
	// leaves the cache variables as they are.
	CacheDir    string
	ShareCaches bool
	// LogDir receives the output, one folder per commit.
	LogDir string
	// Artifact lists globs, relative to Dir, of what the build makes and the
	// benchmark runs.
	Artifact []string
	// Health is the command that tells whether the GPU still works, run after an
	// abnormal end; nil means none. HealthTimeout 0 means DefaultHealthTimeout.
	Health        []string
	HealthTimeout time.Duration
	// Guard reads the state of the machine with every run; nil means that nothing
	// is read.
	Guard *Guard
	// Versions reads the environment fingerprint with every run; nil means that
	// nothing is read.
	Versions *Versions
}

// RangeCommand is a build command for some commits.
type RangeCommand struct {
	// Range is how the user wrote it, for messages.
	Range string
	// Commits holds the full hashes.
	Commits map[string]bool
	Argv    []string
}

// Runner runs the commands of one Config, one at a time.
type Runner struct {
	config     Config
	supervisor *proc.Supervisor
	home       string // of the user, for the caches that stay shared
}

// New checks c and returns its Runner. The supervisor stays the caller's to close.
func New(s *proc.Supervisor, c Config) (*Runner, error) {
	switch {
	case !filepath.IsAbs(c.Dir):
		return nil, fmt.Errorf("preparing the benchmark: checkout %q is not an absolute path", c.Dir)
	case len(c.Bench) == 0:
		return nil, errors.New("preparing the benchmark: no command given")
	case !filepath.IsAbs(c.LogDir):
		return nil, fmt.Errorf("preparing the benchmark: log folder %q is not an absolute path", c.LogDir)
	case c.CacheDir != "" && !filepath.IsAbs(c.CacheDir):
		return nil, fmt.Errorf("preparing the benchmark: cache folder %q is not an absolute path", c.CacheDir)
	}
	for _, glob := range c.Artifact {
		if _, err := filepath.Match(glob, ""); err != nil {
			return nil, fmt.Errorf("preparing the benchmark: artifact pattern %q: %w", glob, err)
		}
	}
	for _, kv := range c.Env {
		if err := checkAssignment(kv); err != nil {
			return nil, fmt.Errorf("preparing the benchmark: %w", err)
		}
	}
	if c.BaseEnv == nil {
		c.BaseEnv = withoutGit(os.Environ())
	}
	if c.HealthTimeout == 0 {
		c.HealthTimeout = DefaultHealthTimeout
	}
	return &Runner{config: c, supervisor: s, home: lookup(c.BaseEnv, "HOME")}, nil
}

// checkCommit refuses what is no commit hash, because it becomes part of paths.
func checkCommit(commit string) error {
	if !isHash(commit) {
		return fmt.Errorf("commit %q is not a full or abbreviated hash in lower case", commit)
	}
	return nil
}

// isHash reports whether s is 7 to 64 digits of lower-case hexadecimal.
func isHash(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(s) >= 7 && len(s) <= 64
}

// short abbreviates a commit hash as the reports do.
func short(commit string) string { return commit[:min(len(commit), 12)] }
