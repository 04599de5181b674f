package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"perfbisect/engine"
	"perfbisect/internal/proc"
	"perfbisect/internal/testenv"
	"perfbisect/tools"
)

func TestMain(m *testing.M) {
	if proc.IsSupervisor(os.Args) {
		proc.SupervisorMain()
	}
	if len(os.Args) > 1 && strings.HasSuffix(os.Args[0], ".test") && !strings.HasPrefix(os.Args[1], "-") {
		fmt.Fprintf(os.Stderr, "started as %q: this is the test program, not perfbisect\n", os.Args)
		os.Exit(2) // running the tests again would start this again
	}
	syscall.Umask(0o022) // git gives files the modes that it asks for, and so do the tests
	testscript.Main(m, map[string]func(){
		"perfbisect": main,
		"fakebench":  func() { os.Exit(testenv.FakeBench()) },
		"fakebuild":  func() { os.Exit(testenv.FakeBuild()) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
			e.Setenv("GIT_CONFIG_SYSTEM", "/dev/null")
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			e.Setenv("FAKEBENCH_RUNS", filepath.Join(e.WorkDir, ".runs"))
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"mkrepo": mkrepo, "fingerprint": fingerprint, "mcphunt": mcphunt, "waitfor": waitfor,
			"tinydisk": tinyDisk, "readonly": readOnly,
		},
		Condition: func(name string) (bool, error) {
			if name == "mount" {
				return canMount(), nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// canMount reports whether we may mount file systems: on Linux, as root.
func canMount() bool {
	dir, err := os.MkdirTemp("", "mount")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	return exec.Command("mount", "-t", "tmpfs", "tmpfs", dir).Run() == nil && exec.Command("umount", dir).Run() == nil
}

// tinydisk DIR makes DIR a disk with a megabyte of room.
func tinyDisk(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).Run())
	ts.Defer(func() { _ = exec.Command("umount", dir).Run() })
}

// readonly DIR makes the disk at DIR read-only.
func readOnly(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(exec.Command("mount", "-o", "remount,ro", ts.MkAbs(args[0])).Run())
}

// mkrepo DIR n=N [culprit=K] [broken=A-B] [merge=K] makes a repository and sets
// GOOD and CULPRIT to hashes.
func mkrepo(ts *testscript.TestScript, _ bool, args []string) {
	p := testenv.Plant{}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		from, to, _ := strings.Cut(value, "-")
		n, err := strconv.Atoi(from)
		ts.Check(err)
		switch name {
		case "n":
			p.N = n
		case "culprit":
			p.Culprit = n
		case "merge":
			p.Merge = n
		case "broken":
			p.Broken[0] = n
			p.Broken[1], err = strconv.Atoi(to)
			ts.Check(err)
		default:
			ts.Fatalf("mkrepo: unknown %q", arg)
		}
	}
	commits := p.Commits()
	hashes, err := testenv.Repo(ts.MkAbs(args[0]), commits)
	ts.Check(err)
	ts.Setenv("GOOD", hashes[0])
	ts.Setenv("BAD", hashes[len(hashes)-1])
	if i := testenv.CulpritIndex(commits); i >= 0 {
		ts.Setenv("CULPRIT", hashes[i])
	}
}

// fingerprint DIR NAME sets NAME to a hash over every file and folder below
// DIR, .git included, or compares with the one that NAME has.
func fingerprint(ts *testscript.TestScript, _ bool, args []string) {
	now, err := treeHash(ts.MkAbs(args[0]))
	ts.Check(err)
	if before := ts.Getenv(args[1]); before != "" && before != now {
		ts.Fatalf("%s has changed", args[0])
	}
	ts.Setenv(args[1], now)
}

func treeHash(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, path, info.Mode())
		if !info.Mode().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		sum.Write(data)
		return err
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// waitfor FILE TEXT waits until a file that FILE (a pattern) matches has TEXT.
func waitfor(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(testenv.Eventually(func() bool {
		files, _ := filepath.Glob(ts.MkAbs(args[0]))
		for _, f := range files {
			if data, err := os.ReadFile(f); err == nil && strings.Contains(string(data), args[1]) {
				return true
			}
		}
		return false
	}))
}

// mcphunt ARG=VALUE… hunts through an MCP client on stdio, takes the default of
// every question, and sets OUTCOME and FOUND.
func mcphunt(ts *testscript.TestScript, _ bool, args []string) {
	env := []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "XDG_STATE_HOME=" + ts.Getenv("XDG_STATE_HOME"), "XDG_CACHE_HOME=" + ts.Getenv("XDG_CACHE_HOME"), "FAKEBENCH_RUNS=" + ts.Getenv("FAKEBENCH_RUNS")}
	ctx, cancel := context.WithTimeout(context.Background(), 9*time.Minute)
	defer cancel()
	client, err := tools.Dial(ctx, []string{lookPath(ts, "perfbisect"), "serve"}, env, os.Stderr)
	ts.Check(err)
	defer client.Close()
	request := map[string]any{}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		request[name] = value
		if name == "repo" {
			request[name] = ts.MkAbs(value)
		}
	}
	r := mcpReply{}
	ts.Check(client.Call(ctx, "bisect_start", request, &r))
	for !r.State.Ended() {
		tool, args := "bisect_status", map[string]any{"run_id": r.RunID, "wait_s": 5}
		if q := r.Question; q != nil {
			tool, args = "bisect_answer", map[string]any{"run_id": r.RunID, "question_id": q.ID, "answer": q.Default}
		}
		r = mcpReply{}
		ts.Check(client.Call(ctx, tool, args, &r))
	}
	ts.Logf("%s", r.Summary)
	if r.Result == nil {
		ts.Fatalf("no result: %s", r.Summary)
	}
	ts.Setenv("OUTCOME", string(r.Result.Outcome))
	ts.Setenv("FOUND", r.Result.Culprit)
}

type mcpReply struct {
	Summary  string         `json:"summary"`
	RunID    string         `json:"run_id"`
	State    engine.Status  `json:"state"`
	Result   *engine.Result `json:"result"`
	Question *struct {
		ID      string `json:"id"`
		Default string `json:"default"`
	} `json:"question"`
}

func lookPath(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if path := filepath.Join(dir, name); fileExists(path) {
			return path
		}
	}
	ts.Fatalf("%s is not in PATH", name)
	return ""
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
