package app

import (
	"context"
	"io"
	"time"

	"perfbisect/amdgpu"
	"perfbisect/internal/hints"
)

// Config is what the outside gives an App.
type Config struct {
	StateDir   string   // runs lie in StateDir/runs
	CacheDir   string   // our clones lie in CacheDir/<repo-id>
	AllowRoots []string // repositories must lie under one of these; empty: anywhere
	Supervisor []string // argv of the process supervisor; nil: this executable
	Version    string
}

// PreviewRequest asks which numbers an output or a command has.
type PreviewRequest struct {
	Text     string   // an output to look at; or
	Repo     string   // the folder to run Command in, once, as it is
	Command  string   // run by /bin/sh -c
	Argv     []string // run as it is; wins over Command
	Metric   string   // a spec to try; "" or "auto": show the candidates
	TimeoutS float64  // 0: 600
}

// Preview is every number of an output that could be the metric.
type Preview struct {
	Summary    string             `json:"summary"`
	Chosen     *PreviewCandidate  `json:"chosen,omitempty"` // what Metric gives, or the best candidate when it is clear
	Sure       bool               `json:"sure"`
	Candidates []PreviewCandidate `json:"candidates"`
	ElapsedS   float64            `json:"elapsed_s,omitempty"`
	ExitCode   int                `json:"exit_code"`
	Tail       string             `json:"tail,omitempty"` // end of the output, when nothing was found
	Next       string             `json:"next"`
}

// PreviewCandidate is one number.
type PreviewCandidate struct {
	Label  string  `json:"label"`
	Value  float64 `json:"value"` // SI
	Unit   string  `json:"unit"`
	Shown  string  `json:"shown"` // for people, for example "1.43 ms"
	Better string  `json:"better,omitempty"`
	Count  int     `json:"count"`  // how often it occurs
	Metric string  `json:"metric"` // the spec that extracts it
	Text   string  `json:"text"`   // the line it stands in
}

// CompareRequest measures commits against each other, without a search.
type CompareRequest struct {
	RunID   string   // measure both ends of this run; or
	Commits []string // one or two revisions
	Spec    Spec
}

// ISARequest names what isa_diff compares: two paths, or two commits and a
// command that dumps machine code.
type ISARequest struct {
	Before, After       string
	Repo                string
	BeforeRev, AfterRev string
	DumpCmd             string
	AllRows             bool // unchanged kernels too
	Spec                Spec // build, env and timeouts of the two-commit form
}

// HintsRequest names a diff: two commits, the culprit of a run, or its text.
type HintsRequest struct {
	Repo, From, To string
	RunID          string
	Diff           io.Reader // as git diff writes it; nil: the others count
}

// WaitFunc hears about progress while a Wait lasts: at once, then at every
// change and at least every ten seconds.
type WaitFunc func(s *Status)

// Service is what the front ends need of App. It is an interface only so that
// the MCP tools can be tested without git and processes.
type Service interface {
	Start(ctx context.Context, spec Spec) (*Status, error)
	Resume(ctx context.Context, id string) (*Status, error)
	Status(ctx context.Context, id string) (*Status, error)
	Wait(ctx context.Context, id string, most time.Duration, hear WaitFunc) (*Status, error)
	List(ctx context.Context) ([]Brief, error)
	Step(ctx context.Context, id string, steps int) (*Status, error) // steps 0: switch to auto
	Mark(ctx context.Context, id, commit, verdict string) (*Status, error)
	Undo(ctx context.Context, id string) (*Status, error)
	Answer(ctx context.Context, id, questionID, answer string) (*Status, error)
	Stop(ctx context.Context, id, action string) (*Status, error) // action: pause or finish
	Report(ctx context.Context, id, format, detail string, w io.Writer) error
	Compare(ctx context.Context, r CompareRequest) (*Status, error)
	Preview(ctx context.Context, r PreviewRequest) (*Preview, error)
	Summarize(ctx context.Context, path, saveTo string) (*amdgpu.Snapshot, error)
	DiffISA(ctx context.Context, r ISARequest) (*amdgpu.Diff, error)
	Hints(ctx context.Context, r HintsRequest) (*hints.Report, error)
}
