package app

import (
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/hints"
)

// A commit that touches kernels or the build is likelier to be the culprit than
// one that touches documents. The weights are mild: the likeliest commit weighs
// priorRatio times the least likely one, so that a prior which is wrong costs
// about log2(priorRatio) bits. They are never 0. Simulated with 128 commits, at a
// gap of 20, 5 and 2 standard deviations: 14.1, 20.7 and 65.8 runs without a
// prior, 13.1, 20.0 and 58.5 with one that is right about a third of the commits,
// 15.1, 24.6 and 83.4 with one that is wrong about every commit.
const (
	weightDocs   = 0.4 // only texts, pictures, CI and tests
	weightOther  = 1.0
	weightKernel = 1.6  // kernels, the build, dependencies
	weightHint   = 1.25 // times: its diff has a change that is known to cost speed
	priorRatio   = weightKernel * weightHint / weightDocs
)

const (
	priorPaths   = 200 // of a commit that are looked at
	priorHinted  = 48  // positions up to which diffs are read for hints
	priorLeast   = 4   // positions from which a prior is worth anything
	priorPatches = 256 << 10
)

// weigh sets the prior of each position from what its commit touches. A metric
// without noise needs none: there halving is optimal in the worst case.
func (h *hunt) weigh(ctx context.Context, p *engine.Plan) (again bool, err error) {
	n := len(p.Positions)
	if p.Options.Strategy != "adaptive" || p.Options.Exact || n-1 < priorLeast {
		return false, nil
	}
	changed, err := h.repo.ChangedPaths(ctx, p.Positions[0].Commit, p.Positions[n-1].Commit, p.FirstParent, priorPaths)
	if err != nil {
		return false, err
	}
	modules, err := h.repo.Submodules(ctx, p.Positions[n-1].Commit)
	if err != nil {
		return false, err
	}
	for i := 1; i < n; i++ {
		q := &p.Positions[i]
		paths, known := changed[q.Commit]
		if !known || len(paths) == 0 {
			continue
		}
		q.Prior = pathsWeight(paths, modules)
		if n-1 <= priorHinted && q.Prior > weightDocs && h.hinted(ctx, q.Commit) {
			q.Prior *= weightHint
		}
	}
	return false, nil
}

// hinted reports whether a commit's diff has a hint of high confidence.
func (h *hunt) hinted(ctx context.Context, commit string) bool {
	c, err := h.repo.Commit(ctx, commit)
	if err != nil || len(c.Parents) == 0 {
		return false
	}
	var patch strings.Builder
	if _, err := h.repo.Patch(ctx, c.Parents[0], commit, &patch, priorPatches); err != nil {
		return false
	}
	r, err := hints.FromDiff(strings.NewReader(patch.String()), hints.Options{Max: 1})
	return err == nil && len(r.Hints) > 0 && r.Hints[0].Confidence == hints.High
}

// pathsWeight is the weight of the most relevant path.
func pathsWeight(paths []string, modules map[string]string) float64 {
	weight := weightDocs
	for _, p := range paths {
		if _, module := modules[p]; module {
			return weightKernel
		}
		weight = max(weight, pathWeight(p))
	}
	return weight
}

// Kinds of files, by extension, base name and folder.
var (
	kernelExt  = []string{".hip", ".cu", ".cuh", ".cl", ".s", ".asm", ".ll", ".mlir", ".td", ".hsaco", ".co", ".comp", ".glsl", ".metal", ".ptx"}
	buildBase  = []string{"cmakelists.txt", "makefile", "meson.build", "setup.py", "setup.cfg", "pyproject.toml", "build.ninja", "configure", "dockerfile", "requirements.txt", "environment.yml", "llvm-hash.txt", ".gitmodules", "cargo.toml", "cargo.lock", "go.mod"}
	buildExt   = []string{".cmake", ".mk", ".bazel", ".bzl", ".lock"}
	kernelWord = []string{"kernel", "triton", "gluon", "flydsl", "gemm", "attention", "rocm", "hip", "gpu", "csrc", "codegen", "autotune", "tune"}
	docExt     = []string{".md", ".rst", ".adoc", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf", ".po", ".bib"}
	docBase    = []string{"license", "copying", "authors", "contributors", "codeowners", "changelog", "changes", "news", "readme", "notice", ".gitignore", ".gitattributes", ".clang-format", ".editorconfig", ".mailmap", ".pre-commit-config.yaml"}
	docDir     = []string{"docs", "doc", ".github", ".gitlab", ".circleci", ".jenkins", ".ci", "test", "tests", "unittests", "testing"}
)

func pathWeight(p string) float64 {
	p = strings.ToLower(p)
	base, ext := path.Base(p), path.Ext(p)
	stem := strings.TrimSuffix(base, ext)
	dirs := strings.Split(path.Dir(p), "/")
	switch {
	case slices.Contains(docExt, ext) || slices.Contains(docBase, base) || slices.Contains(docBase, stem):
		return weightDocs
	case slices.ContainsFunc(dirs, func(d string) bool { return slices.Contains(docDir, d) }) || strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test"):
		return weightDocs
	case slices.Contains(kernelExt, ext) || slices.Contains(buildExt, ext) || slices.Contains(buildBase, base) || strings.HasPrefix(base, "requirements"):
		return weightKernel
	case slices.ContainsFunc(kernelWord, func(w string) bool { return strings.Contains(p, w) }):
		return weightKernel
	}
	return weightOther
}

// priorNote says what the prior was worth at the commit that was named.
func priorNote(s *engine.State, r *engine.Result) (n engine.Note, ok bool) {
	at, count := s.Plan.IndexOf(r.Culprit), len(s.Plan.Positions)-1
	if at <= 0 || r.Outcome != search.Found || len(r.Via) > 0 {
		return n, false
	}
	total := 0.0
	for i := 1; i <= count; i++ {
		total += priorOf(s.Plan, i)
	}
	share := priorOf(s.Plan, at) / total
	text := fmt.Sprintf("Before anything ran, the commit that is named was given %.1f %%, instead of %.1f %% as one of %d.", 100*share, 100/float64(count), count)
	switch bits := math.Log2(share * float64(count)); {
	case bits >= 0.1:
		text += fmt.Sprintf(" That saved about %.1f halvings of the range.", bits)
	case bits <= -0.1:
		text += fmt.Sprintf(" That was wrong and cost about %.1f halvings of the range.", -bits)
	default:
		return n, false // it made no difference
	}
	return engine.Note{Kind: "prior", Title: "What was thought before", Prose: []string{text}}, true
}
