package app

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestStopUnheard: a process that does not react is told of, and the request stays.
func TestStopUnheard(t *testing.T) {
	h := newHunt(t) // has the lock and reads no inbox
	a, run := h.app, h.run
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	st, err := a.Stop(ctx, run.ID, "finish")
	if err != nil || !strings.Contains(st.Summary, "the request is kept") || len(run.Peek()) != 1 {
		t.Errorf("%+v, %v, %d requests", st, err, len(run.Peek()))
	}
}
