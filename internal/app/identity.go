package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"perfbisect/amdgpu"
	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/bench"
	"perfbisect/internal/metric"
)

// Code identity: builds with equal device code run equally fast, so one of them
// is enough. It rests on two things that are checked: that the metric is a time
// of the device, and that the compiler gives the same code twice.

// hostWords in a metric's label or spec say that the host's work is part of it.
var hostWords = []string{"wall", "elapsed", "e2e", "end-to-end", "end_to_end", "ttft", "tpot", "itl", "request", "tok", "startup", "import", "compile", "host", "cpu", "fps"}

// deviceTime reports whether equal device code makes equal values of a metric,
// as far as its kind and name tell.
func deviceTime(spec metric.Spec, label string) bool {
	if spec.Kind == metric.KindTime || spec.Kind == metric.KindExit || spec.Kind == metric.KindISA {
		return false
	}
	text := strings.ToLower(spec.String() + " " + label)
	return !slices.ContainsFunc(hostWords, func(w string) bool { return strings.Contains(text, w) })
}

// settleIdentity decides whether equal code counts as equal speed.
func (h *hunt) settleIdentity(plan *engine.Plan, spec metric.Spec, label string) error {
	if len(h.spec.Artifact) == 0 || h.spec.BuildCmd == "" || spec.Kind == metric.KindISA || h.asked.Kind == "compare" {
		return nil
	}
	if deviceTime(spec, label) {
		plan.Options.CodeIdentity = true
		return nil
	}
	return h.warn("host_time", "", fmt.Sprintf("the metric %s has the host's work in it, so commits with equal device code are run all the same", spec))
}

// code is the hash of what a build made: of the device code of each kernel where
// an artifact holds code for AMD GPUs, of the whole file otherwise. It is "" when
// there is nothing, or when it says nothing because the compiler does not give
// the same code twice.
func (h *hunt) code(res bench.BuildResult) (string, error) {
	if res.Outcome != bench.OK || len(h.spec.Artifact) == 0 || h.warned("nondeterministic_build") {
		return "", nil
	}
	list, err := h.artifacts()
	if err != nil || len(list) == 0 {
		return "", err
	}
	sum, kind := sha256.New(), fileCode
	for _, rel := range list {
		device, err := hashCode(sum, filepath.Join(h.place.ws.Dir(), rel))
		if err != nil {
			return "", fmt.Errorf("hashing artifact %q: %w", rel, err)
		}
		if device {
			kind = deviceCode
		}
	}
	return kind + hex.EncodeToString(sum.Sum(nil)), nil
}

// How a hash begins: it is of whole files, or of the device code in them only.
const (
	fileCode   = "file:"
	deviceCode = "device:"
)

// hashCode adds what the file or folder at path holds. Its name does not count:
// dumps have random ones. device says that it is device code only.
func hashCode(sum io.Writer, path string) (device bool, err error) {
	if code, err := amdgpu.CodeFingerprint(path); err == nil {
		fmt.Fprintf(sum, "code %s\n", code)
		return true, nil
	}
	return false, filepath.WalkDir(path, func(file string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() && file != path {
			return err
		}
		info, err := os.Stat(file)
		if err != nil || info.IsDir() {
			return err
		}
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintf(sum, "file %d\n", info.Size())
		_, err = io.Copy(sum, f)
		return err
	})
}

func (h *hunt) warned(code string) bool {
	return slices.ContainsFunc(h.state.Warnings, func(w search.Warning) bool { return w.Code == code })
}

// identical reports whether equal code is used in this hunt. The planners for
// the classic procedure and for graphs cannot use it.
func (h *hunt) identical() bool {
	o := h.state.View.Options // the plan's, until it is refuted
	return o.CodeIdentity && o.Strategy == "adaptive" && h.state.View.Parents == nil
}

// buildEnds builds both ends twice before anything is run, each time from
// nothing: equal ends end the hunt, and a compiler that does not give the same
// code twice makes hashes useless. It reports true when it built.
func (h *hunt) buildEnds(ctx context.Context) (bool, error) {
	if !h.identical() || h.spec.BuildCmd == "" || h.spec.Checkout == "in-place" || h.warned("nondeterministic_build") {
		return false, nil
	}
	for _, end := range []int{0, h.state.View.N} {
		place := h.state.View.Places[end]
		built := h.codes(end)
		if place.Failure != "" || len(built) >= 2 {
			continue
		}
		if err := h.settle(ctx); err != nil {
			return false, err
		}
		commit := h.state.Plan.Positions[end].Commit
		if err := h.checkout(ctx, commit); err != nil {
			return false, err
		}
		if len(built) == 1 || h.place.built == commit {
			if err := h.unbuild(ctx, commit); err != nil {
				return false, err
			}
		}
		if ok, err := h.build(ctx, end, commit); !ok || err != nil {
			return true, err
		}
		return true, h.compareCodes(end, commit)
	}
	return false, nil
}

// codes are the hashes of the builds of a position, in order.
func (h *hunt) codes(position int) []string {
	var list []string
	for _, e := range h.state.Events() {
		if e.Kind == engine.EventBuilt && e.Position == position && e.Outcome == search.OK {
			list = append(list, e.Code)
		}
	}
	return list
}

// unbuild makes the next build of the commit start from nothing.
func (h *hunt) unbuild(ctx context.Context, commit string) error {
	p := h.place
	if err := h.effect("checkout", p.ws.Dir(), "cleaning the tree of "+short(commit)); err != nil {
		return err
	}
	if p.trees.on {
		if err := p.trees.setBuilt(""); err != nil {
			return err
		}
	}
	p.built = ""
	if err := bench.RemoveTree(h.caches()); err != nil { // a cached compilation is not made again
		return err
	}
	_, err := p.ws.Fresh(ctx, commit)
	p.tree = p.ws.Head(ctx)
	return err
}

// compareCodes tells when two builds of a commit differ.
func (h *hunt) compareCodes(position int, commit string) error {
	list := h.codes(position)
	if len(list) < 2 || list[0] == list[1] {
		return nil
	}
	if list[0] == "" || list[1] == "" {
		return nil
	}
	return h.warn("nondeterministic_build", commit, "two builds of the same commit made different device code: the compiler is not deterministic. "+
		"Hashes of code say nothing then, and a slow commit may only have had a slow draw; build it again before you believe the answer")
}

// sameAsMeasured reports whether the build of a position made the code of
// another one that was measured, so that it need not run. Once is enough: a
// planner that wants the run all the same gets it.
func (h *hunt) sameAsMeasured(position int) bool {
	code := h.state.View.Places[position].Code
	if !h.identical() || code == "" || h.passed[position] || h.warned("nondeterministic_build") {
		return false
	}
	for _, r := range h.state.View.Runs {
		if r.Position == position {
			return false
		}
	}
	for _, r := range h.state.View.Runs {
		if r.Outcome == search.OK && h.state.View.Places[r.Position].Code == code {
			if h.passed == nil {
				h.passed = map[int]bool{}
			}
			h.passed[position] = true
			return true
		}
	}
	return false
}

// identityNote says what equal trees and equal code saved; ok is false when
// that is nothing. The runs saved are an estimate: what the other commits of
// the search took on average.
func identityNote(s *engine.State) (n engine.Note, ok bool) {
	n = engine.Note{Kind: "identity", Title: "Code identity"}
	shared := 0
	for _, p := range s.Plan.Positions {
		shared += len(p.Same)
	}
	if shared > 0 {
		n.Prose = append(n.Prose, fmt.Sprintf("%s left the relevant files as they were and shared a neighbour's measurement.", commitsText(shared)))
	}
	unrun, perCommit := unrunCommits(s)
	if !s.View.Options.CodeIdentity {
		unrun = 0 // refuted: they were run after all, or their code said nothing
	}
	if unrun > 0 {
		runs := float64(unrun) * perCommit
		n.Prose = append(n.Prose, fmt.Sprintf("%s compiled to the device code of a commit that had been measured, so they were not run and cannot be to blame: about %.0f runs (%s) saved, at %.1f runs a commit.",
			commitsText(unrun), runs, span(runs*s.View.RunS), perCommit))
	}
	return n, len(n.Prose) > 0
}

func commitsText(n int) string {
	if n == 1 {
		return "1 commit"
	}
	return fmt.Sprintf("%d commits", n)
}

// unrunCommits counts the positions between the ends that were built and not
// run because of their code, and the mean number of runs of those that were run.
func unrunCommits(s *engine.State) (unrun int, perCommit float64) {
	runs := map[int]int{}
	code := map[string]bool{}
	for _, r := range s.View.Runs {
		runs[r.Position]++
		code[s.View.Places[r.Position].Code] = true
	}
	inner, total := 0, 0
	for i, place := range s.View.Places {
		switch {
		case i == 0 || i == s.View.N:
		case runs[i] > 0:
			inner, total = inner+1, total+runs[i]
		case place.Built && place.Code != "" && code[place.Code]:
			unrun++
		}
	}
	if inner == 0 {
		return unrun, 1
	}
	return unrun, float64(total) / float64(inner)
}
