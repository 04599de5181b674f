package bench

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckImport(t *testing.T) {
	if err := exec.Command("python3", "-c", "pass").Run(); err != nil {
		t.Skip("needs python3:", err)
	}
	checkout := tree(t, map[string]string{"mod/__init__.py": "raise SystemExit('must not run')\n", "src/deep/sub/__init__.py": "", "space/x.py": ""})
	installed := tree(t, map[string]string{"mod/__init__.py": "", "other/__init__.py": ""})
	tests := []struct {
		why, module, path string
		want, err         string // Path relative to the checkout; substring of the error
	}{
		{"installed from the checkout", "mod", checkout, "mod/__init__.py", ""},
		{"a module of a package in a source folder", "deep.sub", "{dir}/src", "src/deep/sub/__init__.py", ""},
		{"a package without __init__", "space", checkout, "space", ""},
		{"found only where python starts", "mod", "", "mod/__init__.py", ""},
		{"installed copy, hidden by the folder python starts in", "mod", installed, "mod/__init__.py", "only if python starts there"},
		{"installed only", "other", installed, "", "not from the checkout"},
		{"nowhere", "no_such_module_here", "", "", "is not found"},
		{"in a package that is nowhere", "no_such.module", "", "", "is not found"},
		{"of the standard library", "json", "", "", "not from the checkout"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			path := strings.ReplaceAll(tt.path, "{dir}", checkout)
			r := runner(t, Config{Dir: checkout, Env: []string{"PYTHONPATH=" + path, "PYTHONDONTWRITEBYTECODE=1"}})
			got, err := r.CheckImport(t.Context(), commit, tt.module)
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if real, _ := filepath.EvalSymlinks(checkout); tt.want != "" && got.Path != filepath.Join(real, tt.want) {
				t.Errorf("from %q, want %q", got.Path, tt.want)
			}
			if err != nil && !strings.Contains(err.Error(), tt.module) {
				t.Errorf("error does not name the module: %v", err)
			}
		})
	}
}
