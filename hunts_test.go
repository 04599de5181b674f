package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"perfbisect/engine"
	"perfbisect/internal/testenv"
)

var hunts = flag.Int("hunts", 2, "hunts of TestHunts for each separation")

// TestHunts runs whole hunts through the program on repositories of 128 commits
// with a planted culprit and a noisy benchmark, and counts how often the commit
// that it names is the right one. The separation d' is the gap over the
// run-to-run scatter. With -hunts 100 it is the acceptance figure; the default
// only shows that it works. The noise is the same each time.
func TestHunts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole hunts: left out with -short")
	}
	for _, separation := range []float64{2, 5, 20} {
		t.Run(fmt.Sprintf("d=%g", separation), func(t *testing.T) {
			t.Parallel()
			var c count
			bin := programs(t)
			for i := range *hunts {
				c.add(t, huntOnce(t, bin, separation, rand.New(rand.NewPCG(uint64(separation), uint64(i)))))
			}
			t.Logf("%d hunts: named %d, right %d, mean %.1f runs", *hunts, c.named, c.right, float64(c.runs)/float64(max(1, c.named)))
			if c.named > 0 && float64(c.right) < 0.99*float64(c.named) {
				t.Errorf("right in %d of %d", c.right, c.named)
			}
		})
	}
}

type count struct{ named, right, runs int }

type hunted struct {
	result  engine.Result
	culprit string
}

func (c *count) add(t *testing.T, h hunted) {
	t.Helper()
	if h.result.Culprit == "" {
		t.Logf("no answer: %s: %s", h.result.Outcome, h.result.Reason)
		return
	}
	c.named++
	c.runs += h.result.Runs
	if h.result.Culprit == h.culprit {
		c.right++
		return
	}
	t.Logf("wrong: %s for %s, said to be %.3f sure after %d runs", h.result.Culprit, h.culprit, h.result.Probability, h.result.Runs)
}

func huntOnce(t *testing.T, bin string, separation float64, rng *rand.Rand) hunted {
	t.Helper()
	dir, err := os.MkdirTemp(t.TempDir(), "hunt")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	commits := testenv.Plant{N: 128, Culprit: 1 + rng.IntN(128), Good: 10, Bad: 13}.Commits()
	repo := filepath.Join(dir, "repo")
	hashes, err := testenv.Repo(repo, commits)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "perfbisect"), "run", "--good", hashes[0], "--yes", "--json", "--", "fakebench")
	cmd.Dir = repo
	cmd.Env = append(testenv.GitEnv(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"XDG_STATE_HOME="+dir, "XDG_CACHE_HOME="+dir, "FAKEBENCH_RUNS="+filepath.Join(dir, "runs"), fmt.Sprintf("FAKEBENCH_NOISE=%v", math.Log(1.3)/separation))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	lines := bytes.Split(bytes.TrimSpace(out), []byte{'\n'})
	h := hunted{culprit: hashes[testenv.CulpritIndex(commits)]}
	if jerr := json.Unmarshal(lines[len(lines)-1], &h.result); jerr != nil || h.result.Type != "result" {
		t.Fatalf("hunt: %v, %v\n%s\n%s", err, jerr, out, stderr.String())
	}
	return h
}
