package tools

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// How long a job nobody waits for goes on, and how long a result that nobody
// fetched is kept.
const (
	orphanFor = 2 * time.Minute
	keepFor   = 10 * time.Minute
)

// errUnfinished says that a job goes on and the same call fetches its result.
var errUnfinished = errors.New("still running")

// jobs are calls that may take longer than a client waits: running a benchmark
// once, building two commits. They run under the server's life. A call waits
// for its job as long as it may; the same call again goes on waiting.
type jobs struct {
	life  context.Context
	group sync.WaitGroup
	mu    sync.Mutex
	byKey map[string]*job
}

type job struct {
	cancel  context.CancelFunc
	done    chan struct{}
	result  any
	err     error
	started time.Time
	waiting int
	expiry  *time.Timer // runs while nobody waits
}

// inBackground runs work once for all calls with the same key and returns its
// result, or errUnfinished after most. The end of ctx leaves it running.
func inBackground[R any](ctx context.Context, js *jobs, key string, most time.Duration, work func(context.Context) (*R, error)) (*R, error) {
	j := js.join(key, func(ctx context.Context) (any, error) { return work(ctx) })
	defer js.leave(key, j)
	clock := time.NewTimer(most)
	defer clock.Stop()
	select {
	case <-j.done:
		js.drop(key, j)
		if j.err != nil {
			return nil, j.err
		}
		return j.result.(*R), nil
	case <-clock.C:
		return nil, &nextError{
			fmt.Errorf("%w after %s", errUnfinished, elapsed(time.Since(j.started))),
			"It goes on. Call again with the same arguments to wait for its result.",
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// join returns the job of key, starting it when there is none.
func (js *jobs) join(key string, work func(context.Context) (any, error)) *job {
	js.mu.Lock()
	defer js.mu.Unlock()
	j := js.byKey[key]
	if j == nil {
		j = js.start(key, work)
	}
	j.waiting++
	if j.expiry != nil {
		j.expiry.Stop()
		j.expiry = nil
	}
	return j
}

func (js *jobs) start(key string, work func(context.Context) (any, error)) *job {
	ctx, cancel := context.WithCancel(js.life)
	j := &job{cancel: cancel, done: make(chan struct{}), started: time.Now()}
	if js.byKey == nil {
		js.byKey = map[string]*job{}
	}
	js.byKey[key] = j
	js.group.Go(func() {
		defer close(j.done)
		defer cancel()
		defer func() {
			if p := recover(); p != nil {
				j.err = fmt.Errorf("internal error: %v", p)
			}
		}()
		j.result, j.err = work(ctx)
	})
	return j
}

// leave starts the clock of a job that nobody waits for any more.
func (js *jobs) leave(key string, j *job) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if j.waiting--; j.waiting > 0 || js.byKey[key] != j {
		return
	}
	after := orphanFor
	select {
	case <-j.done:
		after = keepFor
	default:
	}
	j.expiry = time.AfterFunc(after, func() {
		j.cancel()
		js.drop(key, j)
	})
}

// drop forgets a job whose result was fetched or is no longer wanted.
func (js *jobs) drop(key string, j *job) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if js.byKey[key] == j {
		delete(js.byKey, key)
	}
}
