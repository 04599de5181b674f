package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport is the import table: which of our packages a package may use. What
// is not named here does not exist.
var mayImport = map[string][]string{
	"":                      {"internal/cli", "internal/proc", "internal/term"},
	"tools":                 {"internal/app", "internal/report", "internal/hints", "engine", "engine/search", "amdgpu", "prompts"},
	"prompts":               {},
	"engine":                {"engine/search", "engine/stats"},
	"engine/search":         {"engine/stats"},
	"engine/stats":          {},
	"engine/enginetest":     {"engine", "engine/search", "engine/stats"},
	"amdgpu":                {},
	"internal/proc":         {},
	"internal/metric":       {},
	"internal/term":         {},
	"internal/demo":         {},
	"internal/gitrepo":      {"internal/proc"},
	"internal/bench":        {"internal/proc"},
	"internal/hints":        {"amdgpu"},
	"internal/session":      {"engine"},
	"internal/report":       {"engine", "engine/search", "engine/stats", "amdgpu", "internal/hints", "internal/metric"},
	"internal/app":          {"engine", "engine/search", "engine/stats", "amdgpu", "internal/proc", "internal/metric", "internal/gitrepo", "internal/bench", "internal/hints", "internal/session", "internal/report"},
	"internal/cli":          {"internal/app", "internal/report", "internal/term", "internal/session", "internal/demo", "internal/hints", "engine", "engine/search", "amdgpu", "tools", "prompts"},
	"internal/testenv":      {},
	"internal/cmd/mcpb":     {},
	"internal/cmd/simulate": {"engine", "engine/search", "engine/stats", "engine/enginetest"},
}

// onlyIn names the outside packages that a few of ours may use, with the reason.
var onlyIn = map[string][]string{
	"github.com/mark3labs/mcp-go": {"tools", "prompts"}, // replaceable in two folders
	"github.com/go-git/go-git":    {"internal/gitrepo"}, // silently wrong in places
	"github.com/spf13/cobra":      {"internal/cli"},
}

// pure packages see no files, processes, network or clock.
var pure = []string{"engine", "engine/search", "engine/stats"}

type goPackage struct {
	ImportPath, Dir  string
	Imports, GoFiles []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "perfbisect"), "/")
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("package %q is not in the import table", name)
		}
		for _, imp := range p.Imports {
			if ours, ok := strings.CutPrefix(imp, "perfbisect/"); ok && !slices.Contains(allowed, ours) {
				t.Errorf("%s imports %s, which the table does not allow", name, ours)
			}
			for outside, where := range onlyIn {
				if strings.HasPrefix(imp, outside) && !slices.Contains(where, name) {
					t.Errorf("%s imports %s, which only %v may", name, imp, where)
				}
			}
			if slices.Contains(pure, name) && slices.Contains([]string{"os", "os/exec", "net", "io/fs", "math/rand", "math/rand/v2"}, imp) {
				t.Errorf("%s is pure and imports %s", name, imp)
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	for _, p := range packages(t) {
		comments := 0
		for _, f := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, f), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if file.Doc != nil {
				comments++
			}
			checkPure(t, p, f, file)
		}
		if comments != 1 {
			t.Errorf("%s has %d package comments, want 1", p.ImportPath, comments)
		}
	}
}

// checkPure looks for time.Now and its like where there is no clock.
func checkPure(t *testing.T, p goPackage, name string, file *ast.File) {
	t.Helper()
	if !slices.Contains(pure, strings.TrimPrefix(p.ImportPath, "perfbisect/")) {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains([]string{"Now", "Since", "After", "Sleep", "NewTimer", "NewTicker"}, sel.Sel.Name) {
			t.Errorf("%s/%s uses time.%s", p.ImportPath, name, sel.Sel.Name)
		}
		return true
	})
}

// maxLines is the most that a file may have; tables and tests included.
const maxLines = 500

func TestFileSizes(t *testing.T) {
	for _, p := range packages(t) {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if n := lines(t, f); n > maxLines {
				t.Errorf("%s has %d lines, split it by concept", f, n)
			}
		}
	}
}

func lines(t *testing.T, file string) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(data, []byte{'\n'})
}
