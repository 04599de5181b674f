package amdgpu

import (
	"fmt"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of metadata, whatever its encoding. LLVM's own
// metadata is five levels deep.
const maxDepth = 64

// A scalar is one leaf of the metadata, from YAML or MessagePack.
type scalar struct {
	text   string
	quoted bool // a string whatever it looks like
}

// A number is an integer key of a kernel's metadata.
type number struct {
	set bool
	bad bool // set, but no integer in 0..2^63-1; text says what was there
	v   int64
	txt string
}

func (s scalar) number() number {
	if v, err := strconv.ParseInt(s.text, 10, 64); err == nil && v >= 0 {
		return number{set: true, v: v}
	}
	if !strings.Contains(s.text, "_") {
		if v, err := strconv.ParseInt(s.text, 0, 64); err == nil && v >= 0 {
			return number{set: true, v: v}
		}
	}
	return number{set: true, bad: true, txt: clip(s.text, 40)}
}

// A toggle is a boolean key that may be absent.
type toggle uint8

const (
	unset toggle = iota
	isFalse
	isTrue
)

func toggleOf(v bool) toggle {
	if v {
		return isTrue
	}
	return isFalse
}

func (s scalar) toggle() (toggle, bool) {
	switch strings.ToLower(s.text) {
	case "true", "1", "yes", "on":
		return isTrue, true
	case "false", "0", "no", "off":
		return isFalse, true
	}
	return unset, false
}

// metaKey indexes the integer keys of metaKernel.
type metaKey int

const (
	metaVGPR metaKey = iota
	metaSGPR
	metaVGPRSpill
	metaSGPRSpill
	metaPrivate
	metaGroup
	metaAGPR
	metaWave
	metaMaxGroup
	numMetaKeys
)

// metaNames are the spellings of code object v3 and later. The required ones
// are those LLVM's AMDGPUMetadataVerifier refuses to miss.
var metaNames = [numMetaKeys]struct {
	name     string
	required bool
}{
	metaVGPR:      {".vgpr_count", true},
	metaSGPR:      {".sgpr_count", true},
	metaVGPRSpill: {".vgpr_spill_count", false},
	metaSGPRSpill: {".sgpr_spill_count", false},
	metaPrivate:   {".private_segment_fixed_size", true},
	metaGroup:     {".group_segment_fixed_size", true},
	metaAGPR:      {".agpr_count", false},
	metaWave:      {".wavefront_size", true},
	metaMaxGroup:  {".max_flat_workgroup_size", false},
}

// metaKeyOf finds an integer key by its name, numMetaKeys if it is none.
func metaKeyOf(name string) metaKey {
	for i := range metaNames {
		if metaNames[i].name == name {
			return metaKey(i)
		}
	}
	return numMetaKeys
}

// metaKernel is one entry of amdhsa.kernels.
type metaKernel struct {
	name, symbol       string
	hasName, hasSymbol bool
	num                [numMetaKeys]number
	dynamicStack       toggle
	wgpMode            toggle
	dynamicLDS         bool // an argument that is dynamic LDS
	faults             []string
}

// metadata is what one metadata document says.
type metadata struct {
	target       string
	major, minor int64
	versions     int // how many integers amdhsa.version has
	kernels      []metaKernel
	hasKernels   bool
	faults       []string
}

// set stores one leaf of a kernel entry. Keys we do not use are ignored.
func (k *metaKernel) set(key string, s scalar) {
	switch key {
	case ".name":
		k.setString(&k.name, &k.hasName, key, s)
	case ".symbol":
		k.setString(&k.symbol, &k.hasSymbol, key, s)
	case ".uses_dynamic_stack":
		k.setToggle(&k.dynamicStack, key, s)
	case ".workgroup_processor_mode":
		k.setToggle(&k.wgpMode, key, s)
	default:
		if i := metaKeyOf(key); i < numMetaKeys {
			k.setNumber(&k.num[i], key, s)
		}
	}
}

func (k *metaKernel) setString(to *string, has *bool, key string, s scalar) {
	if *has && *to != s.text {
		k.faults = append(k.faults, fmt.Sprintf("%s is given twice: %q and %q", key, *to, s.text))
		return
	}
	*to, *has = strings.Clone(s.text), true
}

func (k *metaKernel) setNumber(to *number, key string, s scalar) {
	n := s.number()
	if to.set && *to != n {
		k.faults = append(k.faults, fmt.Sprintf("%s is given twice", key))
		return
	}
	*to = n
}

func (k *metaKernel) setToggle(to *toggle, key string, s scalar) {
	f, ok := s.toggle()
	if !ok {
		k.faults = append(k.faults, fmt.Sprintf("%s is %q, want true or false", key, clip(s.text, 40)))
		return
	}
	*to = f
}

// setArg looks at one leaf of an argument.
func (k *metaKernel) setArg(key string, s scalar) {
	if key == ".value_kind" && (s.text == "dynamic_shared_pointer" || s.text == "hidden_dynamic_lds_size") {
		k.dynamicLDS = true
	}
}

// setNotScalar notes that a key whose value we need is a list or a map.
func (k *metaKernel) setNotScalar(key string) {
	switch key {
	case ".name", ".symbol":
		k.faults = append(k.faults, key+" is not a scalar")
	default:
		if i := metaKeyOf(key); i < numMetaKeys {
			k.num[i] = number{set: true, bad: true, txt: "not a scalar"}
		}
	}
}

// wantedKey reports whether set does something with the key.
func wantedKey(key []byte) bool {
	switch string(key) {
	case ".name", ".symbol", ".uses_dynamic_stack", ".workgroup_processor_mode":
		return true
	}
	return metaKeyOf(string(key)) < numMetaKeys
}

// identity is the kernel's name: .name, or .symbol without ".kd".
func (k *metaKernel) identity() string {
	if k.hasName {
		return k.name
	}
	return strings.TrimSuffix(k.symbol, ".kd")
}

// setTop stores one leaf of the document.
func (m *metadata) setTop(key string, s scalar) {
	if key == "amdhsa.target" {
		m.target = strings.Clone(s.text)
	}
}

// addVersion stores the next integer of amdhsa.version.
func (m *metadata) addVersion(s scalar) {
	n := s.number()
	switch m.versions {
	case 0:
		m.major = n.v
	case 1:
		m.minor = n.v
	}
	m.versions++
}

// join adds another block of the same module, whose head then counts.
func (m *metadata) join(next *metadata) {
	kernels, faults := m.kernels, m.faults
	*m = *next
	if len(kernels) > 0 {
		m.kernels = append(kernels, next.kernels...)
	}
	m.faults = append(faults, next.faults...)
}

// codeObject is the version that amdhsa.version implies, 0 if it says nothing.
// v5 and v6 write the same; texts of v6 have a directive that tells.
func (m *metadata) codeObject() int {
	if m.versions < 2 || m.major != 1 || m.minor > 2 {
		return 0
	}
	return int(m.minor) + 3
}

// clip cuts a string that came from outside to n bytes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
