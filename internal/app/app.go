package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"perfbisect/internal/bench"
	"perfbisect/internal/proc"
	"perfbisect/internal/session"
)

// App runs hunts. Its methods may be called from many goroutines.
type App struct {
	cfg   Config
	store *session.Store

	life context.Context // of the hunts; no request's context reaches them
	end  context.CancelCauseFunc

	mu         sync.Mutex
	hunts      map[string]*hunt // that this process works on, by run id
	supervisor *proc.Supervisor // started when first needed
	alive      *session.Life    // made when first needed; outlives the supervisor
	versions   *bench.Versions  // made when first needed
	lost       map[string]error // by run id: why it ended, where the journal could not tell
	group      sync.WaitGroup
}

// errEnding is the cause when the process that works on hunts ends.
var errEnding = errors.New("the process that worked on it ended")

var _ Service = (*App)(nil)

// New opens the state and cache folders of c.
func New(c Config) (*App, error) {
	store, err := session.NewStore(c.StateDir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.CacheDir, 0o700); err != nil {
		return nil, fmt.Errorf("making the cache folder: %w", err)
	}
	for i, root := range c.AllowRoots {
		if c.AllowRoots[i], err = realPath(root); err != nil {
			return nil, fmt.Errorf("allowing repositories below %q: %w", root, err)
		}
	}
	life, end := context.WithCancelCause(context.Background())
	return &App{cfg: c, store: store, life: life, end: end, hunts: map[string]*hunt{}, lost: map[string]error{}}, nil
}

// Close pauses the hunts of this process, waits until their children are dead
// and their journals closed, and ends the supervisor.
func (a *App) Close() error {
	a.end(errEnding)
	a.group.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	var err error
	if a.supervisor != nil {
		err = a.supervisor.Close()
	}
	if a.alive != nil {
		err = errors.Join(err, a.alive.Close())
	}
	a.supervisor, a.alive = nil, nil
	return err
}

// ownLife is what tells others, once we were killed, that our children still run.
func (a *App) ownLife() (*session.Life, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.lifeLocked()
}

func (a *App) lifeLocked() (*session.Life, error) {
	if a.alive != nil {
		return a.alive, nil
	}
	alive, err := a.store.NewLife()
	a.alive = alive
	return alive, err
}

// procs returns the process supervisor, starting it when first needed.
func (a *App) procs() (*proc.Supervisor, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.supervisor == nil {
		alive, err := a.lifeLocked()
		if err != nil {
			return nil, err
		}
		s, err := proc.StartSupervisor(context.Background(), a.cfg.Supervisor, alive.File())
		if err != nil {
			return nil, err
		}
		a.supervisor = s
	}
	return a.supervisor, nil
}

// allowed reports whether repositories at dir may be used.
func (a *App) allowed(dir string) error {
	if len(a.cfg.AllowRoots) == 0 {
		return nil
	}
	real, err := realPath(dir)
	if err != nil {
		return fmt.Errorf("checking repository %q: %w", dir, err)
	}
	if a.below(real) {
		return nil
	}
	return fmt.Errorf("repository %q lies outside the folders that --allow-root permits: %v", dir, a.cfg.AllowRoots)
}

// below reports whether a real path is one of the permitted folders or in one.
func (a *App) below(real string) bool {
	for _, root := range a.cfg.AllowRoots {
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return len(a.cfg.AllowRoots) == 0
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// StateDir is the folder in which runs are kept.
func (a *App) StateDir() string { return a.cfg.StateDir }
