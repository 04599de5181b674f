package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"perfbisect/engine"
	"perfbisect/internal/gitrepo"
	"perfbisect/internal/hints"
	"perfbisect/internal/report"
	"perfbisect/internal/session"
)

// writers are the forms of a report, by the names of --format.
var writers = map[string]func(io.Writer, *report.Document) error{
	"text": report.Text, "markdown": report.Markdown, "json": report.JSON, "svg": report.SVG, "html": report.HTML,
}

// reportFiles are the forms that every finished hunt leaves in its folder.
var reportFiles = map[string]string{"text": "report.txt", "markdown": "report.md", "json": "report.json", "svg": "chart.svg", "html": "report.html"}

// report writes the reports of a hunt that has its result, and sets the
// result's path to the first one to read.
func (h *hunt) report(ctx context.Context, r *engine.Result) error {
	r.ReportPath = filepath.Join(h.run.Dir, reportFiles["html"])
	state := *h.state
	state.Result = r
	doc, err := h.app.document(ctx, h.run, h.asked, &state)
	if err != nil {
		return err
	}
	for format, name := range reportFiles {
		var b bytes.Buffer
		if err := writers[format](&b, doc); err != nil {
			return fmt.Errorf("writing the %s report: %w", format, err)
		}
		if _, err := h.run.WriteFile(name, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// Report writes the report of a completed run to w. The detail "summary" leaves
// the log of steps out, "diff" adds the culprit's diff.
func (a *App) Report(ctx context.Context, id, format, detail string, w io.Writer) error {
	write := writers[format]
	if write == nil {
		return fmt.Errorf("format is %q, must be one of: text, markdown, json, svg, html", format)
	}
	if detail != "summary" && detail != "steps" && detail != "diff" {
		return fmt.Errorf("detail is %q, must be one of: summary, steps, diff", detail)
	}
	run, err := a.store.Open(id)
	if err != nil {
		return err
	}
	q, state, err := a.load(run)
	if err != nil {
		return err
	}
	if state.Result == nil {
		s := a.view(run, q, state)
		return fmt.Errorf("run %s has no result yet: %s", run.ID, s.Summary)
	}
	doc, err := a.document(ctx, run, q, state)
	if err != nil {
		return err
	}
	doc.Brief = detail == "summary"
	if detail == "diff" && doc.PatchPath != "" {
		patch, err := os.ReadFile(doc.PatchPath)
		if err != nil {
			return fmt.Errorf("reading the culprit's diff: %w", err)
		}
		doc.Patch = strings.ToValidUTF8(string(patch), "\uFFFD")
	}
	return write(w, doc)
}

// document gathers what a report tells. The repository may be gone meanwhile:
// then the report goes without what only it knows.
func (a *App) document(ctx context.Context, run *session.Run, q asked, s *engine.State) (*report.Document, error) {
	spec, err := q.Spec.with(s.Events()) // the ends may have been asked for
	if err != nil {
		return nil, err
	}
	d := &report.Document{
		Result: s.Result, Plan: s.Plan, RunID: run.ID, Repo: q.Spec.Repo, Good: spec.Good, Bad: spec.Bad,
		Command: commandText(q.Spec), Log: run.LogDir(), Nested: s.Nested, Commits: map[string]report.Commit{},
		Marks: marksOf(q, s),
	}
	repo, err := gitrepo.Open(ctx, q.Spec.Repo)
	if err != nil {
		d.Sections = append(d.Sections, report.Section{Title: "Repository", Prose: []string{"It could not be read for this report: " + err.Error()}})
		d.Sections = append(d.Sections, noteSections(s)...)
		return d, nil
	}
	d.Forget = forget(ctx, repo, run.ID)
	a.describeCommits(ctx, repo, d)
	if from, _ := changeOf(d.Result, s.Plan); from != "" {
		if err := a.describeChange(ctx, run, repo, d, s); err != nil {
			return nil, err
		}
	}
	d.Sections = append(d.Sections, noteSections(s)...)
	return d, nil
}

// Forget returns the shell command that deletes what a run in place saved of the
// user's checkout, "" when nothing of it is kept.
func (a *App) Forget(ctx context.Context, id string) string {
	run, err := a.store.Open(id)
	if err != nil {
		return ""
	}
	q, err := readAsked(run)
	if err != nil {
		return ""
	}
	repo, err := gitrepo.Open(ctx, q.Spec.Repo)
	if err != nil {
		return ""
	}
	return forget(ctx, repo, run.ID)
}

// forget is Forget where the repository is open. Only the references of this run
// are named, since another may be unfinished.
func forget(ctx context.Context, repo *gitrepo.Repo, id string) string {
	save, before := gitrepo.SavedRefs(id)
	if _, err := repo.Resolve(ctx, save); err != nil {
		return ""
	}
	git := "git -C " + commandLine([]string{repo.Root()})
	return fmt.Sprintf("%s for-each-ref --format='delete %%(refname)' %s '%s' | %s update-ref --stdin", git, save, before, git)
}

func commandText(s Spec) string {
	if len(s.BenchArgv) > 0 {
		return commandLine(s.BenchArgv)
	}
	return s.BenchCmd
}

// describedCommits bounds the candidates whose author and subject are told.
const describedCommits = 50

func (a *App) describeCommits(ctx context.Context, repo *gitrepo.Repo, d *report.Document) {
	r := d.Result
	hashes := append([]string{r.Culprit, r.LastGood}, r.Via...)
	hashes = append(hashes, r.Candidates[:min(len(r.Candidates), describedCommits)]...)
	for _, l := range r.Levels {
		hashes = append(hashes, l.Commit)
	}
	for _, f := range r.Found {
		hashes = append(hashes, f.Culprit, f.LastGood)
	}
	for _, m := range d.Marks[:min(len(d.Marks), describedCommits)] {
		hashes = append(hashes, m.Commit)
	}
	for _, hash := range hashes {
		if hash == "" {
			continue
		}
		c, err := repo.Commit(ctx, hash)
		if err != nil {
			continue // the report shows the hash alone
		}
		d.Commits[hash] = report.Commit{Hash: hash, Author: c.Author, Email: c.Email, Date: c.AuthorDate, Subject: c.Subject, Body: c.Body}
	}
}

// describeChange adds what changed between the last good commit and the culprit:
// files, the patch, what is known and what is a guess, and hints at the cause.
func (a *App) describeChange(ctx context.Context, run *session.Run, repo *gitrepo.Repo, d *report.Document, s *engine.State) error {
	from, to := changeOf(d.Result, s.Plan)
	files, err := repo.DiffStat(ctx, from, to)
	if err != nil {
		return err
	}
	for _, f := range files {
		d.Files = append(d.Files, report.FileStat{Path: f.Path, Added: f.Added, Deleted: f.Deleted, Binary: f.Binary})
	}
	if d.PatchPath, err = a.patchFile(ctx, run, repo, from, to); err != nil {
		return err
	}
	found, err := hintsBetween(ctx, repo, from, to, hints.Options{ISA: isaChanges(s)})
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := hints.WriteText(&text, found); err != nil {
		return err
	}
	d.Sections = append(d.Sections, attribution(s, d.Result, found))
	if n := s.Note(noteCode); n != nil {
		d.Sections = append(d.Sections, section(*n))
	}
	d.Sections = append(d.Sections, report.Section{
		Title: "Hints", Prose: []string{"Changes in the culprit's diff that often cost speed. They are guesses from the text of the diff, not measurements."},
		Pre: strings.TrimSpace(text.String()),
	})
	return nil
}

// patchFile writes the culprit's diff into the run's folder, once.
func (a *App) patchFile(ctx context.Context, run *session.Run, repo *gitrepo.Repo, from, to string) (string, error) {
	path := filepath.Join(run.Dir, "culprit.diff")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	var patch bytes.Buffer
	if _, err := repo.Patch(ctx, from, to, &patch, maxPatch); err != nil {
		return "", err
	}
	return run.WriteFile("culprit.diff", patch.Bytes())
}

// resultSummary is the answer in at most three sentences.
func resultSummary(r *engine.Result) string {
	return report.Summary(&report.Document{Result: r})
}

// Quote writes a word so that a shell reads it back as it is.
func Quote(word string) string { return commandLine([]string{word}) }

// commandLine writes words so that a shell reads them back as they are.
func commandLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.Trim(w, plainBytes) != "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// plainBytes mean themselves in every shell.
const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%"
