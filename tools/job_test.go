package tools

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// worker is a job that takes some time and remembers how it went.
type worker struct {
	takes  time.Duration
	starts atomic.Int32
	broken atomic.Bool // it was cancelled
}

func (w *worker) work(ctx context.Context) (*string, error) {
	w.starts.Add(1)
	select {
	case <-time.After(w.takes):
		s := "done"
		return &s, nil
	case <-ctx.Done():
		w.broken.Store(true)
		return nil, ctx.Err()
	}
}

// kept is how many jobs are remembered.
func (js *jobs) kept() int {
	js.mu.Lock()
	defer js.mu.Unlock()
	return len(js.byKey)
}

// TestJobOutlivesItsCall: a call that runs out of time leaves the job, and the
// same call again gets the result.
func TestJobOutlivesItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		js := &jobs{life: t.Context()}
		w := &worker{takes: 100 * time.Second}
		for i := range 2 {
			_, err := inBackground(t.Context(), js, "k", 45*time.Second, w.work)
			var n *nextError
			if !errors.Is(err, errUnfinished) || !errors.As(err, &n) || !strings.Contains(n.next, "same arguments") {
				t.Fatalf("call %d: error %v, want errUnfinished with what to do", i, err)
			}
			time.Sleep(time.Second)
		}
		got, err := inBackground(t.Context(), js, "k", 45*time.Second, w.work)
		if err != nil || *got != "done" || w.starts.Load() != 1 {
			t.Errorf("got %v, %v after %d starts, want one", got, err, w.starts.Load())
		}
		if js.kept() != 0 {
			t.Error("the fetched result is kept")
		}
	})
}

// TestJobResultWaits: a job that ended while nobody waited keeps its result for
// keepFor and then forgets it.
func TestJobResultWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		js := &jobs{life: t.Context()}
		w := &worker{takes: 60 * time.Second}
		inBackground(t.Context(), js, "k", 45*time.Second, w.work)
		time.Sleep(90 * time.Second)
		if got, err := inBackground(t.Context(), js, "k", 0, w.work); err != nil && !errors.Is(err, errUnfinished) || w.starts.Load() != 1 {
			t.Errorf("%v, %v, %d starts", got, err, w.starts.Load())
		}
		time.Sleep(keepFor + time.Second)
		synctest.Wait()
		if js.kept() != 0 {
			t.Error("the result is kept for ever")
		}
	})
}

// TestOrphanedJob: cancelling a call does not cancel its job, but a job that
// nobody comes back for ends.
func TestOrphanedJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		js := &jobs{life: t.Context()}
		w := &worker{takes: time.Hour}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := inBackground(ctx, js, "k", 45*time.Second, w.work); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		time.Sleep(orphanFor - time.Second)
		synctest.Wait()
		if w.broken.Load() {
			t.Fatal("the job ended with its call")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !w.broken.Load() || js.kept() != 0 {
			t.Errorf("cancelled %t, %d kept; want it cancelled and forgotten", w.broken.Load(), js.kept())
		}
	})
}

// TestJobsEndWithTheServer: closing the server ends every job.
func TestJobsEndWithTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		life, end := context.WithCancel(t.Context())
		js := &jobs{life: life}
		w := &worker{takes: time.Hour}
		inBackground(t.Context(), js, "k", time.Second, w.work)
		end()
		js.group.Wait()
		if !w.broken.Load() {
			t.Error("the job was not cancelled")
		}
	})
}

// TestPanickingJob: the panic becomes the error of everybody who waits.
func TestPanickingJob(t *testing.T) {
	js := &jobs{life: t.Context()}
	_, err := inBackground(t.Context(), js, "k", time.Minute, func(context.Context) (*string, error) { panic("planted") })
	if err == nil || !strings.Contains(err.Error(), "planted") {
		t.Error(err)
	}
}
