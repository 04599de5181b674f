package hints

// A memo remembers what a name means, so that each distinct name goes through the
// tables once.
type memo struct {
	sides    cache[tri]
	features cache[[]*feature]
	keys     cache[*keyClass]
	words    cache[wordClass]
	swaps    cache[swapMask]
}

func newMemo() *memo {
	return &memo{cache[tri]{}, cache[[]*feature]{}, cache[*keyClass]{}, cache[wordClass]{}, cache[swapMask]{}}
}

// maxMemo bounds each map; a diff of generated names starts them anew.
const maxMemo = 50_000

type cache[V any] map[string]V

// of is what is remembered of a name, or what find says of it.
func (c cache[V]) of(name string, find func(string) V) V {
	v, ok := c[name]
	if !ok {
		v = find(name)
		if len(c) >= maxMemo {
			clear(c)
		}
		c[name] = v
	}
	return v
}

// side tells whether a name speaks for device (yes) or host code (no).
func (m *memo) side(name string) tri { return m.sides.of(name, sideOf) }

func sideOf(name string) tri {
	switch {
	case deviceNames.MatchString(name):
		return yes
	case hostNames.MatchString(name):
		return no
	}
	return unknown
}

// featuresOf lists the counted features that a name is an instance of.
func (m *memo) featuresOf(name string) []*feature { return m.features.of(name, featuresOf) }

func featuresOf(name string) []*feature {
	var v []*feature
	for i := range features {
		if f := &features[i]; f.re.MatchString(name) && (f.not == nil || !f.not.MatchString(name)) {
			v = append(v, f)
		}
	}
	return v
}

// key classifies the name of a parameter, or returns nil.
func (m *memo) key(name string) *keyClass { return m.keys.of(name, classifyKey) }

// A wordClass is what the pair rules ask about a name.
type wordClass struct {
	layout bool
	shape  string // of a matrix instruction, "" if none
}

func (m *memo) word(name string) wordClass { return m.words.of(name, wordOf) }

func wordOf(name string) wordClass {
	w := wordClass{layout: layoutCall.MatchString(name) && !typeParameter.MatchString(name)}
	if g := matrixShape.FindStringSubmatch(name); g != nil {
		w.shape = g[1] + g[2]
	}
	return w
}

// swap looks a name up in the table of swaps.
func (m *memo) swap(name string) swapMask { return m.swaps.of(name, swapsOf) }
