package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"perfbisect/internal/bench"
)

// A Python benchmark that imports an installed package measures the same code at
// every commit, and "no regression" is then a wrong answer. --imports makes it an
// error; without it, what python would import is looked at and warned of.

// Foreign is the code of that warning.
const Foreign = "imports"

// packageFolders are where a repository keeps its packages.
var packageFolders = []string{"src", "python", "."}

// besidePackages are folders that may hold an __init__.py and are seldom what is
// measured; installed packages of these names have nothing to do with them.
var besidePackages = []string{"test", "tests", "testing", "doc", "docs", "example", "examples", "benchmark", "benchmarks", "scripts", "tools", "utils"}

// mostPackages bounds how often python is started.
const mostPackages = 4

// foreignPackages warns where the benchmark runs python, which would import a
// package of the checkout from somewhere else.
func (h *hunt) foreignPackages(ctx context.Context) error {
	if h.spec.Imports != "" || !h.runsPython() {
		return nil
	}
	for _, name := range packages(h.place.ws.Dir()) {
		_, err := h.place.runner.CheckImport(ctx, h.place.at, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		foreign, ok := errors.AsType[*bench.ForeignError](err)
		if !ok || foreign.FoundHere && !h.scriptBelow() {
			continue // found here, or python does not say
		}
		return h.warnOnce(Foreign, fmt.Sprintf("python finds the package %q in %q, not in the checkout: unless the benchmark changes where python looks, every commit measures that; "+
			"set PYTHONPATH with --env or install the package by --build, and let --imports %s check it", name, foreign.Path, name))
	}
	return nil
}

// runsPython reports whether the benchmark command, or a file that it names,
// speaks of python.
func (h *hunt) runsPython() bool {
	words := h.benchWords()
	for _, w := range words {
		if strings.Contains(w, "python") || strings.Contains(w, "pytest") || strings.HasSuffix(w, ".py") {
			return true
		}
	}
	for _, path := range filesNamed(h.place.ws.Dir(), words) {
		path = filepath.Join(h.place.ws.Dir(), path)
		if !isText(path) {
			continue
		}
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte("python")) {
			return true
		}
	}
	return false
}

// scriptBelow reports whether the command names a script in a folder below the
// top one. Python then looks in that folder instead.
func (h *hunt) scriptBelow() bool {
	return slices.ContainsFunc(filesNamed(h.place.ws.Dir(), h.benchWords()), func(path string) bool {
		return strings.HasSuffix(path, ".py") && filepath.Dir(path) != "."
	})
}

// packages are the Python packages of a checkout, by name.
func packages(dir string) (names []string) {
	for _, folder := range packageFolders {
		inits, _ := filepath.Glob(filepath.Join(globEscape(dir), folder, "*", "__init__.py")) // the pattern is ours
		for _, init := range inits {
			name := filepath.Base(filepath.Dir(init))
			if !slices.Contains(besidePackages, strings.ToLower(name)) && !slices.Contains(names, name) && len(names) < mostPackages {
				names = append(names, name)
			}
		}
	}
	return names
}
