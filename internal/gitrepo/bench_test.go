package gitrepo

import (
	"fmt"
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// longHistory imports n commits, every fourth of them a merge of a side branch
// of one commit.
func longHistory(tb testing.TB, n int) *testRepo {
	tb.Helper()
	r := newRepo(tb)
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir = r.dir
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	commit := func(i int, branch string, parents ...int) {
		fmt.Fprintf(in, "commit refs/heads/%s\nmark :%d\ncommitter C <c@d> %d +0000\ndata 1\nx\n", branch, i, 1700000000+i)
		for j, p := range parents {
			fmt.Fprintf(in, "%s :%d\n", [...]string{"from", "merge"}[j], p)
		}
		fmt.Fprintf(in, "M 100644 inline kernels/f%d\ndata 8\n%8d\n", i%50, i)
	}
	commit(1, "main")
	tip := 1
	for i := 2; i <= n; i++ {
		if i%4 == 0 && i < n {
			commit(i, "side", tip)
			commit(i+1, "main", tip, i)
			i++
		} else {
			commit(i, "main", tip)
		}
		tip = i
	}
	if err := in.Close(); err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		tb.Fatal(err)
	}
	return r
}

func seconds(f func()) float64 {
	begin := time.Now()
	f()
	return time.Since(begin).Seconds()
}

// BenchmarkRange lists 80,000 commits; the metric "x-git" is the best time over
// the best of git rev-list with the same flags, run alternately.
func BenchmarkRange(b *testing.B) {
	for _, first := range []bool{true, false} {
		b.Run(fmt.Sprintf("first-parent=%v", first), func(b *testing.B) {
			r := longHistory(b, 80_000)
			good, bad := r.git("rev-list", "--max-parents=0", "main"), r.git("rev-parse", "main")
			repo := r.open()
			flag := "--topo-order"
			if first {
				flag = "--first-parent"
			}
			git, ours, n := math.Inf(1), math.Inf(1), 0
			for b.Loop() {
				git = min(git, seconds(func() {
					cmd := exec.Command("git", "rev-list", "--reverse", "--parents", flag, good+".."+bad)
					cmd.Dir = r.dir
					out, err := cmd.StdoutPipe()
					if err == nil {
						err = cmd.Start()
					}
					if err != nil {
						b.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, out)
					_ = cmd.Wait()
				}))
				ours = min(ours, seconds(func() {
					entries, err := repo.Range(b.Context(), good, bad, RangeOptions{FirstParent: first})
					if err != nil {
						b.Fatal(err)
					}
					n = len(entries)
				}))
			}
			b.ReportMetric(ours/git, "x-git")
			b.ReportMetric(float64(n), "commits")
		})
	}
}

// BenchmarkCheckout steps a clone there and back; "x-git" is the best time
// over the best of git checkout alone.
func BenchmarkCheckout(b *testing.B) {
	r := longHistory(b, 2000)
	hashes := strings.Fields(r.git("rev-list", "--first-parent", "main"))
	w, err := r.open().Prepare(b.Context(), WorkspaceOptions{Dir: filepath.Join(b.TempDir(), "w"), Run: "b"})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close(b.Context())
	git, ours, i := math.Inf(1), math.Inf(1), 0
	for b.Loop() {
		i++
		x, y := hashes[i%2], hashes[20+i%2]
		git = min(git, seconds(func() { run(b, w.Dir(), "git", "checkout", "-q", "--force", "--detach", x) }))
		ours = min(ours, seconds(func() {
			if _, err := w.Checkout(b.Context(), y); err != nil {
				b.Fatal(err)
			}
		}))
	}
	b.ReportMetric(ours/git, "x-git")
	b.ReportMetric((ours-git)*1e3, "ms-more")
}

// BenchmarkOpen finds a repository.
func BenchmarkOpen(b *testing.B) {
	r := newRepo(b)
	r.commit("one", "f", "1\n")
	for b.Loop() {
		r.open()
	}
}
