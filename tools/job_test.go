package tools

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// counted is a job that takes d and counts its starts and its end.
func counted(d time.Duration, starts *int, ended *error) func(context.Context) (*string, error) {
	return func(ctx context.Context) (*string, error) {
		*starts++
		select {
		case <-time.After(d):
			s := "done"
			return &s, nil
		case <-ctx.Done():
			*ended = ctx.Err()
			return nil, ctx.Err()
		}
	}
}

// TestJobOutlivesItsCall: a call that runs out of time leaves the job, and the
// same call again gets the result.
func TestJobOutlivesItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		js := &jobs{life: t.Context()}
		starts, ended := 0, error(nil)
		work := counted(100*time.Second, &starts, &ended)
		for i := range 2 {
			_, err := inBackground(t.Context(), js, "k", 45*time.Second, work)
			var n *nextError
			if !errors.Is(err, errUnfinished) || !errors.As(err, &n) || !strings.Contains(n.next, "same arguments") {
				t.Fatalf("call %d: error %v, want errUnfinished with what to do", i, err)
			}
			time.Sleep(time.Second)
		}
		got, err := inBackground(t.Context(), js, "k", 45*time.Second, work)
		if err != nil || *got != "done" || starts != 1 {
			t.Errorf("got %v, %v after %d starts, want one", got, err, starts)
		}
		if len(js.byKey) != 0 {
			t.Error("the fetched result is kept")
		}
	})
}

// TestJobResultWaits: a job that ended while nobody waited keeps its result for
// keepFor and then forgets it.
func TestJobResultWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		js := &jobs{life: t.Context()}
		starts, ended := 0, error(nil)
		work := counted(60*time.Second, &starts, &ended)
		inBackground(t.Context(), js, "k", 45*time.Second, work)
		time.Sleep(90 * time.Second)
		if got, err := inBackground(t.Context(), js, "k", 0, work); err != nil && !errors.Is(err, errUnfinished) || starts != 1 {
			t.Errorf("%v, %v, %d starts", got, err, starts)
		}
		time.Sleep(keepFor + time.Second)
		synctest.Wait()
		if len(js.byKey) != 0 {
			t.Error("the result is kept for ever")
		}
	})
}

// TestOrphanedJob: cancelling a call does not cancel its job, but a job that
// nobody comes back for ends.
func TestOrphanedJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		js := &jobs{life: t.Context()}
		starts, ended := 0, error(nil)
		work := counted(time.Hour, &starts, &ended)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := inBackground(ctx, js, "k", 45*time.Second, work); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		time.Sleep(orphanFor - time.Second)
		synctest.Wait()
		if ended != nil {
			t.Fatal("the job ended with its call")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if ended == nil || len(js.byKey) != 0 {
			t.Errorf("ended %v, %d kept; want it cancelled and forgotten", ended, len(js.byKey))
		}
	})
}

// TestJobsEndWithTheServer: closing the server ends every job.
func TestJobsEndWithTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		life, end := context.WithCancel(t.Context())
		js := &jobs{life: life}
		starts, ended := 0, error(nil)
		inBackground(t.Context(), js, "k", time.Second, counted(time.Hour, &starts, &ended))
		end()
		js.group.Wait()
		if !errors.Is(ended, context.Canceled) {
			t.Errorf("ended with %v", ended)
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
