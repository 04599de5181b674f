package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

func runner(t testing.TB, c Config) *Runner {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.LogDir == "" {
		c.LogDir = t.TempDir()
	}
	if c.Bench == nil {
		c.Bench = []string{"true"}
	}
	r, err := New(supervisor(t), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEnv(t *testing.T) {
	home := t.TempDir()
	caches := filepath.Join(t.TempDir(), "caches")
	base := []string{"HOME=" + home, "TRITON_CACHE_DIR=/shell", "HF_HOME=/models", "A=base"}
	r := runner(t, Config{
		BaseEnv: base, CacheDir: caches, Slot: 3,
		Env: []string{"A=user {commit}|{short}|{slot}|{other}", "AITER_JIT_DIR=/mine", "EMPTY="},
	})
	env := r.Env(commit)
	for name, want := range map[string]string{
		"A":                "user " + commit + "|0123456789ab|3|{other}",
		"EMPTY":            "",
		"PWD":              r.config.Dir,
		"AITER_JIT_DIR":    "/mine",                           // the user's word is last
		"TRITON_CACHE_DIR": caches + "/" + commit + "/triton", // what merely lay around in the shell is not his word
		"XDG_CACHE_HOME":   caches + "/" + commit + "/xdg",
		"GOCACHE":          home + "/.cache/go-build", // not a cache of kernels: stays where it was
		"CCACHE_DIR":       home + "/.cache/ccache",
		"HF_HOME":          "/models",
	} {
		if got := lookup(env, name); got != want {
			t.Errorf("%s=%q, want %q", name, got, want)
		}
	}
	if err := os.Mkdir(home+"/.ccache", 0o755); err != nil {
		t.Fatal(err)
	}
	if got := lookup(r.Env(commit), "CCACHE_DIR"); got != "" {
		t.Errorf("CCACHE_DIR=%q although ccache uses ~/.ccache", got)
	}
	shared := runner(t, Config{BaseEnv: base, CacheDir: caches, ShareCaches: true})
	if got := lookup(shared.Env(commit), "TRITON_CACHE_DIR"); got != "/shell" {
		t.Errorf("shared caches: %q", got)
	}
}

func TestWithoutGit(t *testing.T) {
	in := []string{"GIT_DIR=/user/.git", "GIT_INDEX_FILE=x", "GIT_AUTHOR_NAME=me", "GIT_SSH=ssh", "PATH=/bin"}
	if got := strings.Join(withoutGit(in), " "); got != "GIT_AUTHOR_NAME=me GIT_SSH=ssh PATH=/bin" {
		t.Errorf("kept %q", got)
	}
}

func TestNewRefuses(t *testing.T) {
	good := Config{Dir: "/d", LogDir: "/l", Bench: []string{"true"}}
	for why, spoil := range map[string]func(*Config){
		"relative checkout":  func(c *Config) { c.Dir = "d" },
		"relative logs":      func(c *Config) { c.LogDir = "l" },
		"relative caches":    func(c *Config) { c.CacheDir = "c" },
		"no command":         func(c *Config) { c.Bench = nil },
		"bad pattern":        func(c *Config) { c.Artifact = []string{"[a"} },
		"no assignment":      func(c *Config) { c.Env = []string{"A"} },
		"nameless variable":  func(c *Config) { c.Env = []string{"=a"} },
		"none (must be fine": nil,
	} {
		c := good
		if spoil != nil {
			spoil(&c)
		}
		if _, err := New(nil, c); (err == nil) != (spoil == nil) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// Only what we made goes: never a foreign file, nor a folder that a commit could
// not be named.
func TestRemoveCaches(t *testing.T) {
	root := filepath.Join(t.TempDir(), "caches")
	r := runner(t, Config{CacheDir: root})
	if err := r.RemoveCaches(); err != nil {
		t.Errorf("nothing there yet: %v", err)
	}
	if err := r.makeCaches(commit); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(root, commit, "triton", "locked")
	if err := os.MkdirAll(locked, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(locked, "kernel.hsaco"), filepath.Join(root, "notes")} {
		if err := os.WriteFile(name, nil, 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	if err := r.RemoveCaches(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 1 || left[0].Name() != "notes" {
		t.Errorf("left: %v (%v)", left, err)
	}
	if err := os.Remove(filepath.Join(root, "notes")); err != nil {
		t.Fatal(err)
	}
	if err := r.RemoveCaches(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(root); err == nil {
		t.Error("the empty root stays")
	}
}
