package bench

import (
	"fmt"
	"strings"
	"testing"

	"perfbisect/internal/proc"
)

// TestErrorLines: what tells of an error is found in the language of each tool,
// and what only looks like it is not.
func TestErrorLines(t *testing.T) {
	for _, line := range []string{
		"a.cpp:12:5: error: use of undeclared identifier 'x'",
		"a.cpp(12): error C2065: 'x': undeclared identifier",
		"a.cu(3): fatal error: hip/hip_runtime.h: No such file or directory",
		"error[E0308]: mismatched types",
		"/usr/bin/ld: a.o: undefined reference to `f'",
		"ld.lld: error: undefined symbol: f",
		"FAILED: CMakeFiles/a.dir/a.o",
		"make[2]: *** [Makefile:76: a.o] Error 1",
		"CMake Error at CMakeLists.txt:3 (find_package):",
		"ModuleNotFoundError: No module named 'triton'",
		"fatal: not a git repository",
		"\x1b[31merror:\x1b[0m no such file",
	} {
		if got := ErrorLines(strings.NewReader("compiling\n"+line+"\nmore\n"), 0); len(got) != 1 {
			t.Errorf("%q: found %q", line, got)
		}
	}
	for _, line := range []string{"-Werror is set", "checking errors: none found", "[12/40] Building error.o", "0 error(s)", "mean_abs_error 0.1"} {
		if got := ErrorLines(strings.NewReader(line+"\n"), 0); len(got) != 0 {
			t.Errorf("%q was taken for an error", got)
		}
	}
}

// TestEndOf: an error far above the end of a long output is quoted once, before
// the end.
func TestEndOf(t *testing.T) {
	output := func(before, after int) string {
		return strings.Repeat("compiling\n", before) + "a.c:1: error: first\n" + strings.Repeat("still compiling\n", after) + "make: *** [all] Error 2\n"
	}
	for _, test := range []struct {
		before, after int
		quoted        bool
	}{{0, 3, false}, {10, tailLines - 2, false}, {10, tailLines - 1, true}, {10, 5000, true}} {
		text := output(test.before, test.after)
		got := endOf(proc.Capture{Head: []byte(text), Total: int64(len(text))})
		if n := strings.Count(got, "error: first"); n != 1 || strings.Contains(got, "[…]") != test.quoted || strings.Count(got, "***") != 1 {
			t.Errorf("after %d lines: %d times in\n%s", test.after, n, got)
		}
	}
	many := strings.Repeat(fmt.Sprintf("a.c:1: error: %s\n", strings.Repeat("x", 10_000)), 1000) + strings.Repeat("more\n", 100)
	if got := endOf(proc.Capture{Head: []byte(many), Total: int64(len(many))}); len(got) > 2*tailBytes {
		t.Errorf("%d bytes", len(got))
	}
}
