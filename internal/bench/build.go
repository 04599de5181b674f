package bench

import (
	"context"
	"time"

	"perfbisect/internal/proc"
)

// BuildResult is one build.
type BuildResult struct {
	// Outcome is OK, BuildFailed or Timeout. It is OK, with Ran false, if there is
	// nothing to build.
	Outcome Outcome
	Ran     bool
	// Command is the argv that was run.
	Command []string
	// NotFound and Hint are as in RunResult.
	NotFound bool
	Hint     string
	// Detail is how it ended; Tail the end of its output, empty if it ended well.
	Detail, Tail string
	ExitCode     int
	Elapsed      time.Duration
	// LogPath is the file with its output, both streams together.
	LogPath string
	// Artifacts is what matches Config.Artifact after the build, sorted by path.
	Artifacts []Artifact
	// ArtifactHash is one hash of all of them, "" if there is none: builds with
	// equal hashes are the same program.
	ArtifactHash string
	// StaleArtifact says that the build ran and left every artifact as it was:
	// what will be run may belong to another commit. MissingArtifact lists the
	// patterns that match nothing.
	StaleArtifact   bool
	MissingArtifact []string
}

// Build builds what is checked out, which is commit. The error is non-nil if
// nothing was learnt, as for Run.
func (r *Runner) Build(ctx context.Context, commit string) (BuildResult, error) {
	result := BuildResult{Outcome: OK, Command: r.buildCommand(commit)}
	if err := r.ready(commit); err != nil {
		return result, err
	}
	if len(result.Command) == 0 {
		return result, r.inspect(&result, nil)
	}
	before, _, err := artifacts(r.config.Dir, r.config.Artifact)
	if err != nil {
		return result, err
	}
	p, err := r.execute(ctx, commit, "build", proc.Command{
		Argv: result.Command, Timeout: r.config.BuildTimeout, MergeStderr: true,
	})
	if err != nil {
		return result, err
	}
	result.take(p)
	return result, r.inspect(&result, before)
}

// buildCommand returns the argv for commit, nil if there is nothing to build.
func (r *Runner) buildCommand(commit string) []string {
	for _, b := range r.config.BuildFor {
		if b.Commits[commit] {
			return b.Argv
		}
	}
	return r.config.Build
}

func (b *BuildResult) take(p proc.Result) {
	b.Ran, b.ExitCode, b.Elapsed, b.LogPath = true, p.ExitCode, p.Elapsed, p.Stdout.Path
	b.Detail = describe(p)
	switch {
	case p.TimedOut:
		b.Outcome = Timeout
	case p.StartError != "" || p.ExitCode != 0:
		b.Outcome = BuildFailed
	}
	if commandMissing(p) {
		b.NotFound, b.Hint = true, missingHint(p)
	}
	if b.Outcome != OK {
		b.Tail = endOf(p.Stdout)
	}
}

// inspect looks at the artifacts after the build.
func (r *Runner) inspect(b *BuildResult, before []Artifact) error {
	after, missing, err := artifacts(r.config.Dir, r.config.Artifact)
	if err != nil {
		return err
	}
	b.Artifacts, b.ArtifactHash = after, hashAll(after)
	if b.Outcome == OK {
		b.MissingArtifact = missing
		b.StaleArtifact = b.Ran && len(after) > 0 && unchanged(before, after)
	}
	return nil
}
