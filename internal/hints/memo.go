package hints

// A memo remembers what a name means, so that each distinct name goes through the
// tables once.
type memo struct {
	sides    map[string]tri
	features map[string][]*feature
	keys     map[string]*keyClass
	words    map[string]wordClass
	swaps    map[string]swapMask
}

// maxMemo bounds each map; a diff of generated names starts them anew.
const maxMemo = 50_000

func newMemo() *memo {
	return &memo{sides: map[string]tri{}, features: map[string][]*feature{}, keys: map[string]*keyClass{}, words: map[string]wordClass{}, swaps: map[string]swapMask{}}
}

// side tells whether a name speaks for device (yes) or host code (no).
func (m *memo) side(name string) tri {
	if v, ok := m.sides[name]; ok {
		return v
	}
	v := unknown
	switch {
	case deviceNames.MatchString(name):
		v = yes
	case hostNames.MatchString(name):
		v = no
	}
	if len(m.sides) >= maxMemo {
		clear(m.sides)
	}
	m.sides[name] = v
	return v
}

// featuresOf lists the counted features that a name is an instance of.
func (m *memo) featuresOf(name string) []*feature {
	if v, ok := m.features[name]; ok {
		return v
	}
	var v []*feature
	for i := range features {
		if f := &features[i]; f.re.MatchString(name) && (f.not == nil || !f.not.MatchString(name)) {
			v = append(v, f)
		}
	}
	if len(m.features) >= maxMemo {
		clear(m.features)
	}
	m.features[name] = v
	return v
}

// key classifies the name of a parameter, or returns nil.
func (m *memo) key(name string) *keyClass {
	if v, ok := m.keys[name]; ok {
		return v
	}
	v := classifyKey(name)
	if len(m.keys) >= maxMemo {
		clear(m.keys)
	}
	m.keys[name] = v
	return v
}

// A wordClass is what the pair rules ask about a name.
type wordClass struct {
	layout bool
	shape  string // of a matrix instruction, "" if none
}

func (m *memo) word(name string) wordClass {
	if v, ok := m.words[name]; ok {
		return v
	}
	v := wordClass{layout: layoutCall.MatchString(name) && !typeParameter.MatchString(name)}
	if g := matrixShape.FindStringSubmatch(name); g != nil {
		v.shape = g[1] + g[2]
	}
	if len(m.words) >= maxMemo {
		clear(m.words)
	}
	m.words[name] = v
	return v
}

// swap looks a name up in the table of swaps.
func (m *memo) swap(t token) swapMask {
	if v, ok := m.swaps[t.text]; ok {
		return v
	}
	v := swapsOf(t)
	if len(m.swaps) >= maxMemo {
		clear(m.swaps)
	}
	m.swaps[t.text] = v
	return v
}
