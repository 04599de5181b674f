package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"perfbisect/internal/testenv"
)

// TestStopUnheard: a process that does not react is told of, and the request stays.
func TestStopUnheard(t *testing.T) {
	a := newApp(t)
	s, _ := fakeSpec(t, testenv.Plant{N: 3, Culprit: 2})
	q, err := a.resolve(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	run, err := a.make(q)
	if err != nil {
		t.Fatal(err)
	}
	h, err := a.open(run, q) // has the lock and reads no inbox
	if err != nil {
		t.Fatal(err)
	}
	defer h.journal.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	st, err := a.Stop(ctx, run.ID, "finish")
	if err != nil || !strings.Contains(st.Summary, "the request is kept") || len(run.Peek()) != 1 {
		t.Errorf("%+v, %v, %d requests", st, err, len(run.Peek()))
	}
}
