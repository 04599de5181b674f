// Package term knows what a terminal can show: whether there is one, how wide
// it is, and one status line that is redrawn and cleared. Colour never carries
// meaning alone, and without a terminal no control code is ever written.
package term

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// Is reports whether f is a terminal that understands control codes.
func Is(f *os.File) bool {
	return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// Width is the number of columns of f, 80 when it is not a terminal.
func Width(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}

// Status is a line at the bottom that is redrawn at most ten times a second.
// Off a terminal it writes nothing.
type Status struct {
	mu    sync.Mutex
	w     io.Writer
	width int
	live  bool
	shown bool
	last  time.Time
}

// NewStatus draws on f.
func NewStatus(f *os.File) *Status {
	return &Status{w: f, width: Width(f), live: Is(f)}
}

// Live reports whether the line is shown at all.
func (s *Status) Live() bool { return s.live }

// Set redraws the line.
func (s *Status) Set(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.live || time.Since(s.last) < 100*time.Millisecond {
		return
	}
	s.last, s.shown = time.Now(), true
	fmt.Fprintf(s.w, "\r\x1b[K%s", Cut(text, s.width-1))
}

// Println clears the line, writes text above it and a newline.
func (s *Status) Println(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	fmt.Fprintln(s.w, text)
}

// Clear removes the line.
func (s *Status) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
}

func (s *Status) clear() {
	if s.shown {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.shown, s.last = false, time.Time{}
	}
}

// Cut shortens text to at most n characters.
func Cut(text string, n int) string {
	if n < 1 || utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	return string(runes[:n-1]) + "…"
}
