package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// fieldCases is how many cases docs/FIELD-CASES.md must have.
const fieldCases = 64

// TestFieldCases checks that every field case is listed, and that the tests that
// are named there exist.
func TestFieldCases(t *testing.T) {
	text, err := os.ReadFile("docs/FIELD-CASES.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t)
	row := regexp.MustCompile(`(?m)^\| (\d+) \|(.*)\|(.*)\|$`)
	name := regexp.MustCompile("`([^`]+)`")
	next := 1
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		if m[1] != strconv.Itoa(next) {
			t.Fatalf("case %s where %d should be", m[1], next)
		}
		next++
		named := name.FindAllStringSubmatch(m[3], -1)
		if len(named) == 0 && !strings.Contains(m[2], "not done: ") {
			t.Errorf("case %s has neither a test nor a reason", m[1])
		}
		for _, n := range named {
			if !tests[n[1]] {
				t.Errorf("case %s: there is no test %s", m[1], n[1])
			}
		}
	}
	if next != fieldCases+1 {
		t.Errorf("%d cases, want %d", next-1, fieldCases)
	}
}

// testNames has the test functions of all packages and the scripts.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".txtar") {
			names[filepath.Base(path)] = true
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
