package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
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
