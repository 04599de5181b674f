package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// cacheVar is a variable that names the folder where compiled kernels or tuning
// results are kept from one process to the next. Shared between commits they
// poison measurements: a kernel that another commit compiled or tuned is run.
type cacheVar struct{ name, folder string }

// perCommit lists them. XDG_CACHE_HOME stands for every tool without a variable
// of its own, FlashInfer and TVM among them.
//
// Sources: Triton python/triton/knobs.py; PyTorch torch/_inductor/runtime/cache_dir_utils.py
// and torch/utils/cpp_extension.py; FlyDSL and AITER (aiter/aot/flydsl,
// aiter/jit/core.py get_user_jit_dir: the package's own folder unless set);
// MIOpen "Kernel cache" and "Find and immediate mode"; LLVM amd/comgr/src/comgr-env.h;
// CUDA "JIT caching"; TileLang env.py.
var perCommit = []cacheVar{
	{"TRITON_CACHE_DIR", "triton"},
	{"TORCHINDUCTOR_CACHE_DIR", "inductor"},
	{"TORCH_EXTENSIONS_DIR", "torch_extensions"},
	{"FLYDSL_RUNTIME_CACHE_DIR", "flydsl"},
	{"FLYDSL_AUTOTUNE_CACHE_DIR", "flydsl_autotune"},
	{"AITER_JIT_DIR", "aiter_jit"},
	{"MIOPEN_USER_DB_PATH", "miopen_db"},
	{"MIOPEN_CUSTOM_CACHE_DIR", "miopen"},
	{"AMD_COMGR_CACHE_DIR", "comgr"},
	{"CUDA_CACHE_PATH", "cuda"},
	{"TILELANG_CACHE_DIR", "tilelang"},
	{"XDG_CACHE_HOME", "xdg"},
}

// keptShared lists what lies in XDG_CACHE_HOME by default but is addressed by
// content or merely downloaded: moved away with it, every commit would compile
// the standard library, or fetch the model weights, anew.
var keptShared = []cacheVar{
	{"CCACHE_DIR", "ccache"},
	{"SCCACHE_DIR", "sccache"},
	{"GOCACHE", "go-build"},
	{"HF_HOME", "huggingface"},
	{"TORCH_HOME", "torch"},
	{"PIP_CACHE_DIR", "pip"},
	{"UV_CACHE_DIR", "uv"},
	{"ZIG_GLOBAL_CACHE_DIR", "zig"},
}

// cacheEnv returns the assignments for commit, or none if caches are shared.
func (r *Runner) cacheEnv(commit string) []string {
	if !r.ownCaches() {
		return nil
	}
	var env []string
	for _, v := range perCommit {
		env = append(env, v.name+"="+filepath.Join(r.config.CacheDir, commit, v.folder))
	}
	shared := lookup(r.config.BaseEnv, "XDG_CACHE_HOME")
	if shared == "" && r.home != "" {
		shared = filepath.Join(r.home, ".cache")
	}
	for _, v := range keptShared {
		if shared != "" && lookup(r.config.BaseEnv, v.name) == "" && !r.elsewhere(v.name) {
			env = append(env, v.name+"="+filepath.Join(shared, v.folder))
		}
	}
	return env
}

func (r *Runner) ownCaches() bool { return r.config.CacheDir != "" && !r.config.ShareCaches }

// elsewhere reports whether the tool of that variable ignores XDG_CACHE_HOME
// here: ccache prefers ~/.ccache where that exists.
func (r *Runner) elsewhere(name string) bool {
	if name != "CCACHE_DIR" {
		return false
	}
	_, err := os.Stat(filepath.Join(r.home, ".ccache"))
	return err == nil
}

// makeCaches creates the folders: not every tool makes its own.
func (r *Runner) makeCaches(commit string) error {
	if !r.ownCaches() {
		return nil
	}
	for _, v := range perCommit {
		if err := os.MkdirAll(filepath.Join(r.config.CacheDir, commit, v.folder), 0o700); err != nil {
			return fmt.Errorf("making caches of %s: %w", short(commit), err)
		}
	}
	return nil
}

// RemoveCaches removes the per-commit caches, and CacheDir itself once it is
// empty. Anything in it that is not named like a commit stays.
func (r *Runner) RemoveCaches() error {
	if !r.ownCaches() {
		return nil
	}
	entries, err := os.ReadDir(r.config.CacheDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing caches: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && isHash(e.Name()) {
			err = errors.Join(err, RemoveTree(filepath.Join(r.config.CacheDir, e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("removing caches: %w", err)
	}
	_ = os.Remove(r.config.CacheDir) // not empty: not all of it is ours
	return nil
}

// RemoveTree removes a tree that may hold read-only folders, as the module cache
// of Go does.
func RemoveTree(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(path, 0o700) // RemoveAll says what it could not do
		}
		return nil
	})
	return os.RemoveAll(dir)
}
