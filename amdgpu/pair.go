package amdgpu

import (
	"regexp"
	"strings"
)

// pair is one kernel on both sides, or on one when the other is nil.
type pair struct {
	before, after *Kernel
	byName        bool // paired across differing layouts, by name alone
}

// pairKernels finds each kernel's other side. It goes from the exact to the
// loose; a looser rule pairs only what is unique on both sides among those
// left, so that nothing is paired by guess.
func pairKernels(before, after *Snapshot) []pair {
	rules := []struct {
		key    func(*Kernel) string
		byName bool
	}{
		{func(k *Kernel) string { return k.dir() + "\x00" + k.stem() + "\x00" + k.Target + "\x00" + k.Name }, false},
		{func(k *Kernel) string { return k.dir() + "\x00" + k.Target + "\x00" + k.Name }, false},
		{func(k *Kernel) string { return k.dir() + "\x00" + k.stem() + "\x00" + k.Name }, false},
		{func(k *Kernel) string { return k.dir() + "\x00" + k.Name }, false},
		{func(k *Kernel) string { return k.stem() + "\x00" + k.Target + "\x00" + k.Name }, true},
		{func(k *Kernel) string { return k.Target + "\x00" + k.Name }, true},
		{func(k *Kernel) string { return k.Name }, true},
		{func(k *Kernel) string { return k.Target + "\x00" + placeless(k.Name) }, true},
	}
	left, right := pointers(before), pointers(after)
	var out []pair
	for _, r := range rules {
		out, left, right = pairBy(out, left, right, r.key, r.byName)
	}
	for _, k := range left {
		out = append(out, pair{before: k})
	}
	for _, k := range right {
		out = append(out, pair{after: k})
	}
	return out
}

// Where the source lies is part of some names: the hash of its path of kernels
// with internal linkage under -fgpu-rdc ("k.intern.484d2bd25139e7fc"), its
// device and inode of OpenMP's ("__omp_offloading_fe00_9b2239_main_l7").
var (
	pathHash  = regexp.MustCompile(`\.(?:intern|static|anon)\.[0-9a-f]{8,32}$`)
	ompInodes = regexp.MustCompile(`^__omp_offloading_[0-9a-f]+_[0-9a-f]+_`)
)

// placeless is a kernel's name without what says where its source lies, so that
// two checkouts of one program have the same names.
func placeless(name string) string {
	if len(name) > 1<<12 {
		return name
	}
	return ompInodes.ReplaceAllString(pathHash.ReplaceAllString(name, ""), "__omp_offloading_")
}

func pointers(s *Snapshot) []*Kernel {
	out := make([]*Kernel, len(s.Kernels))
	for i := range s.Kernels {
		out[i] = &s.Kernels[i]
	}
	return out
}

// pairBy pairs the kernels whose key is unique on both sides and returns the
// pairs and who is left.
func pairBy(out []pair, left, right []*Kernel, key func(*Kernel) string, byName bool) ([]pair, []*Kernel, []*Kernel) {
	if len(left) == 0 || len(right) == 0 {
		return out, left, right
	}
	l, r := uniqueBy(left, key), uniqueBy(right, key)
	taken := map[*Kernel]bool{}
	for _, b := range left {
		k := key(b)
		a := r[k]
		if l[k] == nil || a == nil {
			continue
		}
		out = append(out, pair{b, a, byName && (b.dir() != a.dir() || b.Name != a.Name)})
		taken[a], taken[b] = true, true
	}
	return out, without(left, taken), without(right, taken)
}

// uniqueBy maps keys to kernels; a key that occurs twice maps to nil.
func uniqueBy(list []*Kernel, key func(*Kernel) string) map[string]*Kernel {
	m := make(map[string]*Kernel, len(list))
	for _, k := range list {
		name := key(k)
		if _, twice := m[name]; twice {
			k = nil
		}
		m[name] = k
	}
	return m
}

func without(list []*Kernel, taken map[*Kernel]bool) []*Kernel {
	var out []*Kernel
	for _, k := range list {
		if !taken[k] {
			out = append(out, k)
		}
	}
	return out
}

// A Rename is a guess: a kernel that is gone and one that is new which may be
// the same. It never changes the verdict.
type Rename struct {
	Before string `json:"before"`
	After  string `json:"after"`
	// SameValues says that all columns known on both sides are equal.
	SameValues bool `json:"same_values"`
	// Similarity of the names is in [0, 1]: shared pairs of letters.
	Similarity float64 `json:"similarity"`
}

// maxRenamePairs bounds the work; beyond it nobody reads guesses anyway.
const maxRenamePairs = 1 << 16

// minSimilarity is what names need in common to be offered, with equal values
// and without.
const (
	minSimilaritySame  = 0.3
	minSimilarityOther = 0.7
)

// renames offers for each kernel that is gone the most similar new one of the
// same target and wave size. Each new kernel is offered once.
func renames(pairs []pair) []Rename {
	var gone, fresh []*Kernel
	for _, p := range pairs {
		switch {
		case p.after == nil:
			gone = append(gone, p.before)
		case p.before == nil:
			fresh = append(fresh, p.after)
		}
	}
	if len(gone)*len(fresh) > maxRenamePairs {
		return nil
	}
	grams := map[*Kernel]map[string]int{}
	for _, k := range append(gone[:len(gone):len(gone)], fresh...) {
		grams[k] = letterPairs(k.Name)
	}
	var out []Rename
	used := map[*Kernel]bool{}
	for _, b := range gone {
		best, candidate := bestRename(b, fresh, grams, used)
		if candidate != nil {
			used[candidate] = true
			out = append(out, best)
		}
	}
	return out
}

func bestRename(b *Kernel, fresh []*Kernel, grams map[*Kernel]map[string]int, used map[*Kernel]bool) (best Rename, candidate *Kernel) {
	score := 0.0
	for _, a := range fresh {
		if used[a] || a.Target != b.Target || a.WavefrontSize != b.WavefrontSize {
			continue
		}
		r := Rename{b.Key, a.Key, sameValues(b, a), dice(grams[b], grams[a])}
		least, s := minSimilarityOther, r.Similarity
		if r.SameValues {
			least, s = minSimilaritySame, s+1
		}
		if r.Similarity >= least && s > score {
			best, candidate, score = r, a, s
		}
	}
	return best, candidate
}

func sameValues(a, b *Kernel) bool {
	for c := range NumColumns {
		x, y := a.Metrics[c], b.Metrics[c]
		if x.Known() && y.Known() && x.Value != y.Value {
			return false
		}
	}
	return true
}

// letterPairs counts the pairs of adjacent letters of a name.
func letterPairs(name string) map[string]int {
	name = strings.ToLower(clip(name, 512))
	m := map[string]int{}
	for i := 0; i+2 <= len(name); i++ {
		m[name[i:i+2]]++
	}
	return m
}

// dice is Dice's coefficient of two multisets.
func dice(a, b map[string]int) float64 {
	common, total := 0, 0
	for g, n := range a {
		common += min(n, b[g])
		total += n
	}
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(common) / float64(total)
}
