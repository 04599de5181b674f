package gitrepo

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// writeCommit stores a commit object as it is, however odd.
func writeCommit(t *testing.T, r *testRepo, raw string) string {
	t.Helper()
	cmd := exec.Command("git", "hash-object", "-t", "commit", "-w", "--literally", "--stdin")
	cmd.Dir = r.dir
	cmd.Stdin = strings.NewReader(raw)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// go-git and git must say the same of every commit that either can read.
func TestCommitAgreesWithGit(t *testing.T) {
	r := newRepo(t)
	parent := r.commit("one", "f", "1\n")
	tree := r.git("rev-parse", "HEAD^{tree}")
	repo := r.open()
	line := rapid.SampledFrom([]string{"", " ", "\t", "title", "  indented  ", "trailing \r", "caf\xe9", "ünï", "x\vy", "\f", "a: b", "gpgsig no"})
	name := rapid.SampledFrom([]string{"A", "A B", "Ünï", "caf\xe9", "", "a.b,c", "\"Q\""})
	rapid.Check(t, func(rt *rapid.T) {
		who := func(label string) string {
			return fmt.Sprintf("%s <%s> %d %s", name.Draw(rt, label), rapid.SampledFrom([]string{"a@b", "", "a b"}).Draw(rt, "mail"),
				rapid.Int64Range(0, 4e9).Draw(rt, "date"), rapid.SampledFrom([]string{"+0000", "-0330", "+1400"}).Draw(rt, "zone"))
		}
		raw := "tree " + tree + "\n"
		for range rapid.IntRange(0, 3).Draw(rt, "parents") {
			raw += "parent " + parent + "\n"
		}
		raw += "author " + who("author") + "\ncommitter " + who("committer") + "\n"
		raw += rapid.SampledFrom([]string{"", "encoding ISO-8859-1\n", "encoding UTF-8\n", "extra header\n", "gpgsig -----BEGIN\n x\n -----END\n"}).Draw(rt, "header")
		raw += "\n" + strings.Join(rapid.SliceOfN(line, 0, 8).Draw(rt, "message"), "\n")
		hash := writeCommit(t, r, raw)
		ours, err := repo.Commit(t.Context(), hash)
		if err != nil {
			rt.Fatalf("%v\n%q", err, raw)
		}
		gits, err := repo.commitByGit(t.Context(), hash)
		if err != nil {
			rt.Fatalf("git: %v\n%q", err, raw)
		}
		if d := cmp.Diff(view(gits), view(ours)); d != "" {
			rt.Fatalf("commit %q (-git +ours):\n%s", raw, d)
		}
	})
}

// view is a commit with dates that compare by instant and zone.
func view(c Commit) []string {
	return append([]string{c.Hash, c.Tree, c.Author, c.Email, asRaw(c.AuthorDate), asRaw(c.CommitDate), c.Subject, c.Body}, c.Parents...)
}

// A long-lived Repo goes on reading when somebody repacks, and when objects
// come that it has not seen.
func TestReadsAfterRepack(t *testing.T) {
	r := newRepo(t)
	old := r.commit("one", "f", "1\n")
	repo := r.open()
	read := func(hash, want string) {
		t.Helper()
		c, err := repo.odb.commit(hash)
		if err != nil || c.Subject != want {
			t.Errorf("go-git reads %q, %v, want %q", c.Subject, err, want)
		}
	}
	read(old, "one")
	r.git("repack", "-adq")
	r.git("prune-packed")
	read(old, "one")
	second := r.commit("two", "f", "2\n")
	read(second, "two")
	r.git("repack", "-adq")
	third := r.commit("three", "f", "3\n")
	r.git("gc", "-q", "--prune=now")
	for hash, want := range map[string]string{old: "one", second: "two", third: "three"} {
		read(hash, want)
	}
}

// In a partial clone go-git does not find a blob; git fetches it.
func TestBlobIsFetched(t *testing.T) {
	r := newRepo(t)
	a := r.commit("one", "f", "old\n")
	r.commit("two", "f", "new\n")
	r.git("config", "uploadpack.allowFilter", "true")
	r.git("config", "uploadpack.allowAnySHA1InWant", "true")
	repo := openAt(t, cloneOf(t, r, "--filter=blob:none", "--no-checkout"))
	if got, err := repo.Blob(t.Context(), a, "f", 100); err != nil || string(got) != "old\n" {
		t.Errorf("Blob = %q, %v", got, err)
	}
}

func FuzzStatParser(f *testing.F) {
	f.Add(":100644 100644 aa bb M\x00f\x001\t2\tf\x00")
	f.Add(":100644 100644 aa bb R090\x00f\x00g\x001\t2\t\x00f\x00g\x00")
	f.Add(":160000 160000 aa bb M\x00sub\x00-\t-\tsub\x00")
	f.Fuzz(func(t *testing.T, in string) {
		var p statParser
		if err := eachNUL(strings.NewReader(in), p.field); err == nil && p.end() == nil {
			for _, s := range p.stats {
				if s.Status == "" {
					t.Errorf("accepted without a status: %q", in)
				}
			}
		}
	})
}

func FuzzCopyLines(f *testing.F) {
	f.Add("a\nbb\nccc", int64(4))
	f.Fuzz(func(t *testing.T, in string, limit int64) {
		if limit < 0 {
			return
		}
		var out strings.Builder
		cut, err := copyLines(&out, strings.NewReader(in), limit)
		if err != nil || cut != (int64(len(in)) > limit) || int64(out.Len()) > limit || !strings.HasPrefix(in, out.String()) || !cut && out.String() != in {
			t.Errorf("copyLines(%q, %d) = %q, %v, %v", in, limit, out.String(), cut, err)
		}
	})
}
