package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"perfbisect/engine"
	"perfbisect/internal/testenv"
)

// The benchmark command of both: a shell that reads the number in the tree, as
// near to nothing as a command that prints a number can be.
const (
	printSpeed = `read v <speed; echo "latency: $v ms"`
	judgeSpeed = `read v <speed; test "$v" = 10`
)

// BenchmarkHunt is a hunt over 200 commits with a benchmark that takes no time.
// ms/run is what one run costs beyond the command, with its two synced facts in
// the journal; ms/checkout what a step of the tree costs, git included. The peer
// is BenchmarkGitBisect.
func BenchmarkHunt(b *testing.B) {
	repo, hashes := testenv.MustRepo(b, testenv.Plant{N: 200, Culprit: 137}.Commits())
	var runs, checkouts []float64
	for b.Loop() {
		dir := b.TempDir()
		cmd := exec.Command("perfbisect", "run", "--repo", repo, "--good", hashes[0], "--yes", "--state-dir", dir+"/s", "--cache-dir", dir+"/c", "--bench-cmd", printSpeed)
		cmd.Env = testenv.GitEnv()
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), hashes[137]) {
			b.Fatalf("%v:\n%s", err, out)
		}
		r, c := overhead(b, dir+"/s")
		runs, checkouts = append(runs, r...), append(checkouts, c...)
	}
	b.ReportMetric(mean(runs)*1e3, "ms/run")
	b.ReportMetric(mean(checkouts)*1e3, "ms/checkout")
	b.ReportMetric(float64(len(runs))/float64(b.N), "runs/op")
}

// overhead returns, in seconds, what each run took from its intent to its fact
// without the command, and each checkout from its intent to the next one.
func overhead(b *testing.B, state string) (runs, checkouts []float64) {
	files, _ := filepath.Glob(filepath.Join(state, "runs/*/journal.jsonl"))
	data, err := os.ReadFile(files[0])
	if err != nil {
		b.Fatal(err)
	}
	var intent, checkout float64
	for line := range strings.Lines(string(data)) {
		var e engine.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			b.Fatal(err)
		}
		switch {
		case e.Kind == engine.EventRan:
			runs = append(runs, e.AtS-intent-e.ElapsedS)
		case e.Kind != engine.EventEffect:
		case e.Effect.Step == "checkout":
			checkout = e.AtS
		case e.Effect.Step == "run":
			if intent = e.AtS; checkout > 0 {
				checkouts, checkout = append(checkouts, intent-checkout), 0
			}
		}
	}
	return runs, checkouts
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(1, len(v)))
}

// BenchmarkGitBisect is git bisect run over the same commits, which makes one run
// a step; ms/step is all that a step costs: command, checkout and git.
func BenchmarkGitBisect(b *testing.B) {
	repo, hashes := testenv.MustRepo(b, testenv.Plant{N: 200, Culprit: 137}.Commits())
	git := func(args ...string) string {
		out, err := testenv.Git(repo, nil, args...)
		if err != nil {
			b.Fatal(err)
		}
		return out
	}
	steps := 0
	for b.Loop() {
		git("bisect", "start", "main", hashes[0])
		steps += strings.Count(git("bisect", "run", "sh", "-c", judgeSpeed), "running")
		git("bisect", "reset", "main")
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(max(1, steps)), "ms/step")
	b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
}
