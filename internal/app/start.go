package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"perfbisect/internal/gitrepo"
	"perfbisect/internal/session"
)

// Start begins a hunt and returns at once; the work goes on in the background
// until the answer, a question or the end of this process. The same
// arguments find the unfinished run they began before and go on with it. What
// is wrong with the arguments is an error and makes no run; what is missing
// becomes the run's question.
func (a *App) Start(ctx context.Context, spec Spec) (*Status, error) {
	if err := spec.absolutize(); err != nil {
		return nil, err
	}
	if err := errors.Join(spec.Validate(), spec.checkFiles()); err != nil {
		return nil, err
	}
	if spec.Reuse != "" {
		if _, err := a.store.Open(spec.Reuse); err != nil {
			return nil, fmt.Errorf("reuse: %w", err)
		}
	}
	q, err := a.resolve(ctx, spec)
	if err != nil {
		return nil, err
	}
	if id, err := a.find(q); err != nil || id != "" {
		if err != nil {
			return nil, err
		}
		return a.Resume(ctx, id)
	}
	if err := a.unrestored(ctx, spec.Repo); err != nil {
		return nil, err
	}
	return a.begin(ctx, q)
}

// unrestored refuses a new run where a killed in-place run still has the
// checkout: what is checked out there is not what the user means.
func (a *App) unrestored(ctx context.Context, repo string) error {
	p, err := gitrepo.InPlacePending(ctx, repo)
	if err != nil || p == nil || p.Alive {
		return err // while it lives, the slot says who has it
	}
	hints := []string{fmt.Sprintf("perfbisect stop %s puts everything back", p.Run)}
	if run, err := a.store.Open(p.Run); err == nil {
		if _, _, damage := read(run); damage == nil {
			hints = append(hints, fmt.Sprintf("perfbisect resume %s goes on with it", p.Run))
		}
	}
	return &HintError{Err: &gitrepo.PendingError{Pending: *p}, Hints: hints}
}

// meant is rev as the user means it: while an in-place run has the checkout,
// HEAD is where that run has put it.
func meant(p *gitrepo.Pending, rev string) string {
	if p == nil || p.Head == "" {
		return rev
	}
	for _, name := range []string{"HEAD", "@"} {
		if rest, ok := strings.CutPrefix(rev, name); ok && (rest == "" || rest[0] == '~' || rest[0] == '^') {
			return p.Head + rest
		}
	}
	return rev
}

// resolve fixes what the names of the ends mean now.
func (a *App) resolve(ctx context.Context, spec Spec) (asked, error) {
	q := asked{Spec: spec}
	if err := a.allowed(spec.Repo); err != nil {
		return q, err
	}
	repo, err := gitrepo.Open(ctx, spec.Repo)
	if err != nil {
		return q, err
	}
	q.Root = repo.Root()
	pending, err := gitrepo.InPlacePending(ctx, spec.Repo)
	if err != nil {
		return q, err
	}
	if spec.Good != "" {
		if q.Good, err = repo.Resolve(ctx, meant(pending, spec.Good)); err != nil {
			return q, fmt.Errorf("good: %w", err)
		}
	}
	if q.Bad, err = repo.Resolve(ctx, meant(pending, spec.Bad)); err != nil {
		return q, fmt.Errorf("bad: %w", err)
	}
	if err := q.checkPaths(ctx, repo); err != nil {
		return q, err
	}
	q.Revs = map[string]string{}
	for name, revs := range spec.otherRevs() {
		for _, rev := range revs {
			if q.Revs[rev], err = repo.Resolve(ctx, meant(pending, rev)); err != nil {
				return q, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return q, nil
}

// find returns the unfinished run of the same request, or "".
func (a *App) find(q asked) (string, error) {
	ids, err := a.store.IDs()
	if err != nil {
		return "", err
	}
	want := normal(q)
	for _, id := range ids {
		run, err := a.store.Open(id)
		if err != nil {
			continue // removed meanwhile
		}
		have, err := readAsked(run)
		if err != nil || !reflect.DeepEqual(normal(have), want) {
			continue
		}
		if _, state, damage := read(run); damage == nil && !state.Status.Ended() {
			return id, nil
		}
	}
	return "", nil
}

// normal is q without what does not make it another request.
func normal(q asked) asked {
	q.Spec.Yes = false
	data, _ := json.Marshal(q) // nil and empty lists become the same
	var n asked
	_ = json.Unmarshal(data, &n)
	return n
}

// begin makes the run of q and starts working on it.
func (a *App) begin(ctx context.Context, q asked) (*Status, error) {
	run, err := a.make(q)
	if err != nil {
		return nil, err
	}
	if err := a.launch(ctx, run, q); err != nil {
		return nil, errors.Join(err, run.Remove())
	}
	return a.Status(ctx, run.ID)
}

func (a *App) make(q asked) (*session.Run, error) {
	data, err := json.MarshalIndent(q, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("storing the request: %w", err)
	}
	return a.store.Create(append(data, '\n'))
}

// Resume goes on with a run that was paused or whose process died. A run that
// is being worked on, or has ended, is only reported.
func (a *App) Resume(ctx context.Context, id string) (*Status, error) {
	run, err := a.store.Open(id)
	if err != nil {
		return nil, err
	}
	q, state, err := a.load(run)
	if err != nil {
		return nil, err
	}
	_, live := run.Live()
	if !live && state.Status.Ended() && a.allowed(q.Spec.Repo) == nil {
		_ = a.cleanUp(ctx, run) // killed at its very end; stop tells what cannot be removed
	}
	if live || state.Status.Ended() {
		return a.Status(ctx, run.ID)
	}
	if err := a.allowed(q.Spec.Repo); err != nil {
		return nil, err
	}
	if err := a.launch(ctx, run, q); err != nil {
		return nil, err
	}
	return a.Status(ctx, run.ID)
}
