package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"perfbisect/engine/search"
	"perfbisect/internal/app"
)

func TestReadLine(t *testing.T) {
	in := bufio.NewReader(strings.NewReader("lower\nmore\n"))
	for _, want := range []string{"lower\n", "more\n"} { // nothing is lost between two questions
		if got, err := readLine(t.Context(), in); got != want || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	silent, writer := io.Pipe() // a person who says nothing
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readLine(ctx, bufio.NewReader(silent)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestStatusLine(t *testing.T) {
	for want, p := range map[string]app.Progress{
		"":                              {},
		"building 3b5bf6bb5e":           {Now: "building 3b5bf6bb5e"}, // no plan: "0 left" would read like the end
		"run 1 · 9 left · about 2 runs": {Now: "run 1", Left: 9, Cost: "about 2 runs"},
	} {
		if got := statusLine(p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestStepLine(t *testing.T) {
	for phase, want := range map[search.Phase]string{
		search.PhaseEnds:     "ends    3b5bf6bb5e  2 ms  end",
		search.PhaseConfirm:  "confirm 3b5bf6bb5e  2 ms  end",
		search.PhaseResidual: "residual 3b5bf6bb5e  2 ms  end", // the longest
	} {
		if got := stepLine(phase, "3b5bf6bb5e", "2 ms", "end"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
