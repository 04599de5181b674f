package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"perfbisect/internal/testenv"
)

var kills = flag.Int("kills", 60, "least number of SIGKILLs in TestKillMatrix; 240 reaches every kind of step")

// scenario is one way to hunt. The culprit is commit 7 of 12 in all of them.
type scenario struct {
	name  string
	args  []string
	env   []string
	stop  bool // give up at the end instead of finding the culprit
	times int  // how often it is killed in 60 kills
}

// scenarios between them have every checkout mode, with and without build,
// submodule, overlay and parked trees.
var scenarios = []scenario{
	{name: "clone", args: []string{"--checkout", "clone"}, times: 7},
	{name: "clone-build-overlay", args: []string{"--build", "fakebuild", "--overlay", "../extra:laid/extra"}, times: 7},
	{name: "clone-parked", args: []string{"--build", "fakebuild"}, env: []string{"FAKEBUILD_SLEEP_MS=320"}, times: 7},
	{name: "clone-stop", args: []string{"--build", "fakebuild"}, stop: true, times: 7},
	{name: "worktree", args: []string{"--checkout", "worktree"}, times: 8},
	{name: "worktree-stop", args: []string{"--checkout", "worktree", "--build", "fakebuild", "--overlay", "../extra:laid/extra"}, stop: true, times: 8},
	{name: "in-place", args: []string{"--checkout", "in-place"}, times: 8},
	{name: "in-place-stop", args: []string{"--checkout", "in-place", "--build", "fakebuild", "--overlay", "../extra:laid/extra"}, stop: true, times: 8},
}

// TestKillMatrix kills hunts with SIGKILL, again and again, as soon as the
// journal has grown by some lines or after a random time, takes them up again,
// and kills that too. The user's repository must be what it was, nothing of ours
// may run or lie about, and the hunt must find the culprit all the same.
func TestKillMatrix(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("finding our processes needs /proc")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	seen := &moments{count: map[string]int{}}
	t.Run("all", func(t *testing.T) {
		for i, s := range scenarios {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				random := rand.New(rand.NewPCG(seed, uint64(i)))
				want := max(1, (s.times**kills+59)/60)
				seen.expect(want)
				for left := want; left > 0 && !t.Failed(); {
					left -= newKillWorld(t, s, random, seen).hunt(min(left, 10))
				}
			})
		}
	})
	total, list := seen.list()
	t.Logf("%d kills:\n%s", total, list)
	if total < seen.want {
		t.Errorf("%d kills, want %d", total, seen.want)
	}
}

// moments counts kills by what the journal said last.
type moments struct {
	mu    sync.Mutex
	count map[string]int
	want  int
}

func (m *moments) expect(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.want += n
}

func (m *moments) add(what string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count[what]++
}

func (m *moments) list() (total int, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var lines []string
	for what, n := range m.count {
		total += n
		lines = append(lines, fmt.Sprintf("%4d %s", n, what))
	}
	slices.Sort(lines)
	return total, strings.Join(lines, "\n")
}

// killWorld is a user's repository, in disorder, and the folders of ours.
type killWorld struct {
	*testing.T
	s       scenario
	random  *rand.Rand
	seen    *moments
	dir     string
	repo    string
	good    string
	culprit string
	mark    string // in the environment of everything that we start
	before  string // the user's repository
	id      string // of the run, once it is known
}

func newKillWorld(t *testing.T, s scenario, random *rand.Rand, seen *moments) *killWorld {
	w := &killWorld{T: t, s: s, random: random, seen: seen, dir: t.TempDir()}
	w.repo, w.mark = filepath.Join(w.dir, "my repo"), fmt.Sprintf("PERFBISECT_TEST_MARK=%s-%d", s.name, os.Getpid())
	w.makeRepo()
	w.before = w.print()
	return w
}

// makeRepo makes the repository with a submodule that moves once, and gives the
// checkout one of everything that a user may have there.
func (w *killWorld) makeRepo() {
	sub := filepath.Join(w.dir, "sub")
	pins, err := testenv.Repo(sub, []testenv.Commit{{Subject: "one", Files: map[string]string{"pin": "1\n"}}, {Subject: "two", Files: map[string]string{"pin": "2\n"}}})
	w.check(err)
	commits := testenv.Plant{N: 12, Culprit: 7}.Commits()
	commits[0].Files[".gitmodules"] = "[submodule \"dep\"]\n\tpath = dep\n\turl = " + sub + "\n"
	commits[0].Files[".gitignore"] = "built\n*.o\n"
	commits[0].Files["tracked"], commits[0].Files["staged"] = "t\n", "s\n"
	commits[0].Modules = map[string]string{"dep": pins[0]}
	commits[5].Modules = map[string]string{"dep": pins[1]}
	hashes, err := testenv.Repo(w.repo, commits)
	w.check(err)
	w.good, w.culprit = hashes[0], hashes[7]
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	w.write("tracked", "stashed\n")
	w.git("stash", "push", "--quiet")
	w.git("tag", "mine", hashes[3])
	w.git("branch", "other", hashes[4])
	w.git("config", "user.nickname", "ada")
	w.write("staged", "staged\n")
	w.git("add", "staged")
	w.write("staged", "and changed\n")
	w.write("tracked", "changed\n")
	w.write("untracked file", "mine\n")
	w.write("ignored.o", "object\n")
	w.write("intended", "later\n")
	w.git("add", "--intent-to-add", "intended")
	w.check(os.WriteFile(filepath.Join(w.dir, "extra"), []byte("laid over\n"), 0o644))
}

func (w *killWorld) check(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *killWorld) write(name, text string) {
	w.Helper()
	w.check(os.WriteFile(filepath.Join(w.repo, name), []byte(text), 0o644))
}

func (w *killWorld) git(args ...string) string {
	w.Helper()
	out, err := testenv.Git(w.repo, nil, args...)
	w.check(err)
	return out
}

// print is everything about the repository that is the user's: HEAD, branch,
// index with flags, files of any kind, stash, references and configuration.
func (w *killWorld) print() string {
	w.Helper()
	var b strings.Builder
	head, _ := testenv.Git(w.repo, nil, "symbolic-ref", "HEAD")
	fmt.Fprintln(&b, "HEAD", head, w.git("rev-parse", "HEAD"))
	fmt.Fprintln(&b, w.git("ls-files", "--stage", "-v"))
	fmt.Fprintln(&b, w.git("--no-optional-locks", "status", "--porcelain=v2", "--untracked-files=all"))
	fmt.Fprintln(&b, "stash", w.git("stash", "list", "--format=%H %gs"))
	for line := range strings.Lines(w.git("for-each-ref") + "\n") {
		if !strings.Contains(line, "refs/perfbisect/") { // in-place mode keeps its snapshots for a month
			b.WriteString(line)
		}
	}
	config, err := os.ReadFile(filepath.Join(w.repo, ".git/config"))
	w.check(err)
	fmt.Fprintf(&b, "%s", config)
	w.check(filepath.WalkDir(w.repo, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" && d.IsDir() {
			return fs.SkipDir
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || d.IsDir() || d.Name() == "built" { // ignored; a build in place leaves it
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %v %x\n", path, info.Mode(), sha256.Sum256(data))
		return err
	}))
	return b.String()
}

// hunt starts the hunt, kills it n times or until it is quicker than its killer,
// checks everything after the end, and returns how often it was killed.
func (w *killWorld) hunt(n int) (killed int) {
	for ; killed < n; killed++ {
		if !w.kill(w.next(killed)) || w.Failed() {
			break
		}
		if !strings.HasPrefix(w.s.name, "in-place") {
			w.same("after a kill")
		}
		if w.random.IntN(2) == 0 { // else the next one must wait by itself
			w.quiet()
		}
	}
	if w.s.stop {
		w.giveUp()
	} else {
		w.finish()
	}
	w.quiet()
	w.same("at the end")
	w.clean()
	return killed
}

// next is the command that goes on with the hunt.
func (w *killWorld) next(i int) []string {
	w.findRun()
	if w.id != "" && i%2 == 1 {
		return []string{"resume", w.id, "--yes"}
	}
	return append([]string{"run", "--good", w.good, "--yes"}, append(slices.Clone(w.s.args), "--", "fakebench")...)
}

func (w *killWorld) findRun() {
	specs, _ := filepath.Glob(filepath.Join(w.dir, "state/perfbisect/runs/*/spec.json"))
	if len(specs) > 1 {
		w.Fatalf("the same arguments made %d runs", len(specs))
	}
	if len(specs) == 1 {
		w.id = filepath.Base(filepath.Dir(specs[0]))
	}
}

func (w *killWorld) command(args []string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command("perfbisect", args...)
	cmd.Dir = w.repo
	cmd.Env = append(testenv.GitEnv(), w.mark, "HOME="+w.dir, "XDG_STATE_HOME="+w.dir+"/state", "XDG_CACHE_HOME="+w.dir+"/cache",
		"FAKEBENCH_NOISE=0.002", "FAKEBENCH_SLEEP_MS=5", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always")
	cmd.Env = append(cmd.Env, w.s.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// kill starts a command and kills it: when the journal has grown by some lines
// and a moment later, or, one time in three, at a random time. It returns false
// when the command was quicker.
func (w *killWorld) kill(args []string) bool {
	cmd, out := w.command(args)
	size := len(w.journal())
	w.check(cmd.Start())
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	lines := 1 + w.random.IntN(12)
	limit := time.After(time.Minute)
	if w.random.IntN(3) == 0 {
		lines, limit = 1<<30, time.After(time.Duration(w.random.IntN(600))*time.Millisecond)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for waiting := true; waiting; {
		select {
		case <-done:
			if !strings.Contains(out.String(), w.culprit) {
				w.Errorf("%q ended with:\n%s", args, out)
			}
			return false
		case <-limit:
			waiting = false
		case <-tick.C:
			waiting = bytes.Count(w.journal()[size:], []byte("\n")) < lines
		}
	}
	<-time.After(time.Duration(w.random.IntN(4000)) * time.Microsecond)
	w.check(cmd.Process.Kill())
	<-done
	w.seen.add(w.moment())
	return true
}

// journal is what there is of it; a torn line is not complete.
func (w *killWorld) journal() []byte {
	if w.id == "" {
		w.findRun()
	}
	data, _ := os.ReadFile(filepath.Join(w.dir, "state/perfbisect/runs", w.id, "journal.jsonl"))
	return data
}

// moment names the last thing that the journal tells.
func (w *killWorld) moment() string {
	lines := bytes.Split(bytes.TrimSpace(w.journal()), []byte("\n"))
	var e struct {
		Event  string
		Effect struct{ Step, Path string }
	}
	if json.Unmarshal(lines[len(lines)-1], &e) != nil {
		return "(no journal)"
	}
	text := w.s.name[:5] + " " + e.Event + " " + e.Effect.Step
	var step struct{ Op string }
	if json.Unmarshal([]byte(e.Effect.Path), &step) == nil {
		text += " " + step.Op
	}
	return strings.TrimSpace(text)
}

// finish goes on to the culprit.
func (w *killWorld) finish() {
	cmd, out := w.command(w.next(1))
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), w.culprit) {
		w.Fatalf("finishing: %v, culprit is %s:\n%s\n%s", err, w.culprit, out, w.journal())
	}
}

// giveUp stops the run, and kills that twice too.
func (w *killWorld) giveUp() {
	for w.findRun(); w.id == ""; w.findRun() {
		w.kill(w.next(0))
	}
	for range 2 {
		cmd, _ := w.command([]string{"stop", w.id})
		w.check(cmd.Start())
		<-time.After(time.Duration(w.random.IntN(80)) * time.Millisecond)
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		w.seen.add(w.s.name[:5] + " stop")
	}
	cmd, out := w.command([]string{"stop", w.id})
	if err := cmd.Run(); err != nil {
		w.Fatalf("stopping: %v\n%s", err, out)
	}
}

func (w *killWorld) same(when string) {
	w.Helper()
	if now := w.print(); now != w.before {
		w.Errorf("the repository has changed %s:\nbefore:\n%s\nnow:\n%s\njournal:\n%s", when, w.before, now, w.journal())
	}
}

// quiet waits until nothing of ours runs, and fails when it does not come to
// that soon. Zombies are for the machine's init to reap.
func (w *killWorld) quiet() {
	w.Helper()
	var left []string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
		if left = w.processes(); len(left) == 0 {
			return
		}
	}
	w.Errorf("still running: %q", left)
}

func (w *killWorld) processes() (left []string) {
	envs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range envs {
		env, err := os.ReadFile(path) // empty for a zombie
		if err == nil && bytes.Contains(env, []byte(w.mark+"\x00")) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return left
}

// clean checks that nothing of ours lies about but the run itself.
func (w *killWorld) clean() {
	w.Helper()
	var left []string
	for _, root := range []string{"cache", "state/perfbisect/locks", "my repo/.git/perfbisect", "my repo/.git/worktrees"} {
		_ = filepath.WalkDir(filepath.Join(w.dir, root), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				left = append(left, path)
			}
			return nil
		})
	}
	for _, pattern := range []string{"state/perfbisect/runs/*/lock", "cache/perfbisect/*", "my repo/.git/*.lock", "my repo/.git/refs/**/*.lock"} {
		more, _ := filepath.Glob(filepath.Join(w.dir, pattern))
		left = append(left, more...)
	}
	if len(left) > 0 {
		w.Errorf("left behind: %q", left)
	}
}
