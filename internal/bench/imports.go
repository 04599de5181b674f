package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"perfbisect/internal/proc"
)

// Import says from where Python takes a module.
type Import struct {
	Module string
	// Path is the file, or the folder of a package without __init__.py.
	Path string
	// Python is the interpreter that said so.
	Python string
}

// importProbe prints where a module would come from, first without the folder
// that "-c" puts in front of sys.path, then with it: a benchmark script that lies
// elsewhere does not see the checkout by itself. The parent packages are
// imported, the module itself is not.
const importProbe = `
import importlib.util, json, os, sys
def find(path):
    sys.path[:] = path
    for name in [n for n in sys.modules if n.split(".")[0] == sys.argv[1].split(".")[0]]:
        del sys.modules[name]
    importlib.invalidate_caches()
    try:
        spec = importlib.util.find_spec(sys.argv[1])
    except ModuleNotFoundError:
        return None
    if spec is None:
        return None
    if spec.origin and os.path.exists(spec.origin):
        return os.path.realpath(spec.origin)
    for place in spec.submodule_search_locations or []:
        return os.path.realpath(place)
    return spec.origin
here = sys.path[:1] if sys.path[0] in ("", os.getcwd()) else []
rest = sys.path[len(here):]
print("\n" + json.dumps({"python": sys.executable, "elsewhere": find(rest), "here": find(here + rest)}))
`

// importTimeout bounds the probe: importing a parent package may load a GPU runtime.
const importTimeout = 2 * time.Minute

// CheckImport asks the python of the benchmark's environment where module comes
// from. It is a *ForeignError, which names both paths, if that is not the
// checkout, or if it depends on the folder that python is started in.
func (r *Runner) CheckImport(ctx context.Context, commit, module string) (Import, error) {
	if err := r.ready(commit); err != nil {
		return Import{}, err
	}
	python := "python3"
	env := r.Env(commit)
	if which(env, python) == "" || inVenv(env, "python") {
		python = "python"
	}
	p, err := r.execute(ctx, commit, "imports", proc.Command{
		Argv: []string{python, "-c", importProbe, module}, Timeout: importTimeout,
	})
	if err != nil {
		return Import{}, err
	}
	if p.StartError != "" || p.ExitCode != 0 {
		return Import{}, fmt.Errorf("asking %s where %q comes from: %s: %s", python, module, describe(p), lastLine(tailOf(p.Stderr)))
	}
	var answer struct{ Python, Elsewhere, Here string }
	if err := json.Unmarshal([]byte(lastLine(string(p.Stdout.Bytes()))), &answer); err != nil {
		return Import{}, fmt.Errorf("asking %s where %q comes from: reading its answer: %w", python, module, err)
	}
	found := Import{Module: module, Path: answer.Here, Python: answer.Python}
	return found, judgeImport(r.config.Dir, found, answer.Elsewhere)
}

// ForeignError says that a module does not come from the checkout.
type ForeignError struct {
	Module string
	Path   string // where it comes from
	Dir    string // the checkout
	// FoundHere says that it does come from the checkout for a python that is
	// started there and whose script lies there.
	FoundHere bool
}

func (e *ForeignError) Error() string {
	if e.FoundHere {
		return fmt.Sprintf("python module %q comes from %q, and from the checkout %q only if python starts there: install it there in editable mode or set PYTHONPATH", e.Module, e.Path, e.Dir)
	}
	return fmt.Sprintf("python module %q comes from %q, not from the checkout %q: install it there in editable mode or set PYTHONPATH", e.Module, e.Path, e.Dir)
}

// judgeImport compares what python finds in the checkout's folder, and what it
// finds started elsewhere ("": nothing), with the checkout.
func judgeImport(dir string, found Import, elsewhere string) error {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	switch {
	case found.Path == "":
		return fmt.Errorf("python module %q is not found by %s in %q", found.Module, found.Python, dir)
	case !inside(dir, found.Path):
		return &ForeignError{Module: found.Module, Path: found.Path, Dir: dir}
	case elsewhere != "" && !inside(dir, elsewhere):
		return &ForeignError{Module: found.Module, Path: elsewhere, Dir: dir, FoundHere: true}
	}
	return nil
}

// inside reports whether path lies in dir; both are absolute.
func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}

// inVenv reports whether a virtual environment is active that has the program name.
func inVenv(env []string, name string) bool {
	venv := lookup(env, "VIRTUAL_ENV")
	return venv != "" && which(env, name) == filepath.Join(venv, "bin", name)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
