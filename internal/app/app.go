package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

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
	return &App{cfg: c, store: store, life: life, end: end, hunts: map[string]*hunt{}}, nil
}

// Close pauses the hunts of this process, waits until their children are dead
// and their journals closed, and ends the supervisor.
func (a *App) Close() error {
	a.end(errEnding)
	a.group.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.supervisor == nil {
		return nil
	}
	return a.supervisor.Close()
}

// procs returns the process supervisor, starting it when first needed.
func (a *App) procs() (*proc.Supervisor, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.supervisor == nil {
		s, err := proc.StartSupervisor(context.Background(), a.cfg.Supervisor)
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
	for _, root := range a.cfg.AllowRoots {
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			return nil
		}
	}
	return fmt.Errorf("repository %q lies outside the folders that --allow-root permits: %v", dir, a.cfg.AllowRoots)
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
