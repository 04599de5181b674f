package hints

import (
	"fmt"
	"math"
)

var levelNames = [...]string{1: Low, 2: Medium, 3: High}

// score orders candidates: first by confidence, then by how often such a change
// is the culprit (the pattern's weight), then by its size.
func score(c *candidate) float64 {
	s := float64(c.level) * 100
	s += patternByName[c.Pattern].weight
	s += 5 * math.Min(3, math.Abs(math.Log2(c.multiple)))
	if c.faster {
		s -= 50
	}
	return s
}

// report applies what only the whole diff shows, and sorts.
func (c *collector) report(p *parser, o Options) *Report {
	r := &Report{Hints: []Hint{}, FilesRead: c.files, FilesSkipped: c.skipped, SkippedCount: c.skippedN, Truncated: c.truncated || p.truncated}
	if r.FilesSkipped == nil {
		r.FilesSkipped = []SkippedFile{}
	}
	kept := c.cands[:0]
	for i := range c.cands {
		k := c.cands[i]
		if !c.judge(&k) {
			continue
		}
		applyISA(&k, o.ISA)
		k.Confidence = levelNames[k.level]
		k.Score += score(&k)
		kept = append(kept, k)
	}
	sortHints(kept)
	r.take(dedupe(kept), o.Max)
	r.Note = c.note(r, p)
	return r
}

// judge drops a candidate that was only moved or renamed, and lowers one that the
// rest of the file balances.
func (c *collector) judge(k *candidate) bool {
	k.Score = 0
	if !k.deeper && c.moved(k) {
		return false
	}
	if c.onlyRenamed(k) {
		return false
	}
	if k.newFn != "" && k.NewLine == 0 {
		return false // the function itself is gone
	}
	if k.newFn != "" {
		if c.called[k.newFn] == 0 {
			return false // nothing that the diff shows calls the new function
		}
		k.level--
		k.Reason += fmt.Sprintf("; in %s, which the diff adds and calls", k.newFn)
	}
	if k.net != "" && !k.deeper && c.netSum[netKey{k.file, k.net}] <= 0 {
		k.level = min(k.level-1, 1)
		k.Reason += "; the file removes as many elsewhere"
	}
	return k.level > 0
}

// byName are the patterns for which a change of a name alone can be the find; in
// the others a name has a meaning of its own, so that it cannot be a rename.
var byName = wordSet("loop_bounds launch_config masking memory_ops num_warps lds_size")

func (c *collector) moved(k *candidate) bool {
	if k.OldLine > 0 && k.NewLine > 0 {
		return k.newHash != 0 && k.oldHash != 0 && c.removed[k.newHash] > 0 && c.added[k.oldHash] > 0
	}
	if k.NewLine > 0 {
		return k.newHash != 0 && c.removed[k.newHash] > 0
	}
	return k.oldHash != 0 && c.added[k.oldHash] > 0
}

// onlyRenamed tells whether the lines differ in names that the diff renames
// consistently: at least twice, and never to something else.
func (c *collector) onlyRenamed(k *candidate) bool {
	if len(k.renames) == 0 || !byName[k.Pattern] && !k.nameOnly {
		return false
	}
	for _, r := range k.renames {
		if c.renamed[r] < 2 || c.firstTo[r.from] != r.to {
			return false
		}
	}
	return true
}

// dedupe keeps the first of equal changes: one edit repeated over many lines.
func dedupe(ks []candidate) []candidate {
	type key struct{ pattern, file, before, after string }
	seen := map[key]bool{}
	out := ks[:0]
	for i := range ks {
		k := key{ks[i].Pattern, ks[i].File, ks[i].Before, ks[i].After}
		if !seen[k] {
			seen[k] = true
			out = append(out, ks[i])
		}
	}
	return out
}

// take fills in at most three hints of a pattern per file, and limit in all.
func (r *Report) take(ks []candidate, limit int) {
	type key struct{ pattern, file string }
	count := map[key]int{}
	for i := range ks {
		k := key{ks[i].Pattern, ks[i].File}
		if count[k]++; count[k] > 3 || len(r.Hints) >= limit {
			r.Omitted++
			continue
		}
		r.Hints = append(r.Hints, ks[i].Hint)
	}
}

func (c *collector) note(r *Report, p *parser) string {
	switch {
	case !p.sawDiff:
		return "no unified diff in the input"
	case len(r.Hints) > 0 && r.Omitted > 0:
		return fmt.Sprintf("%d weaker hints left out", r.Omitted)
	case len(r.Hints) > 0:
		return ""
	case c.files == 0 && c.skippedN > 0:
		return fmt.Sprintf("no known pattern in this diff: none of its %d files was read (%s)", c.skippedN, c.skipped[0].Reason)
	case r.Truncated:
		return "no known pattern in this diff, as far as it was read"
	}
	return "no known pattern in this diff"
}
