package amdgpu

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
)

// CodeHashes returns a hash of the normalised device code of each kernel at
// path, by Kernel.Key, in lower-case hexadecimal. Equal hashes mean the same
// instructions, kernel descriptor, target and reachable callees and constants.
//
// Names of local labels and functions, comments, debug information, notes,
// compiler identification, build IDs and paths do not count. Different hashes
// prove nothing: hashes of a text and of an object always differ, and in a
// linked object a kernel may move relative to its constants.
//
// The error says that path cannot be read, or that it cannot be trusted: code
// that was cut, skipped or not understood is not "the same" as anything.
func CodeHashes(path string) (map[string]string, error) {
	s, err := hashed(path)
	if err != nil {
		return nil, err
	}
	hashes := make(map[string]string, len(s.Kernels))
	for i := range s.Kernels {
		hashes[s.Kernels[i].Key] = s.Kernels[i].hash
	}
	return hashes, nil
}

// CodeFingerprint is one hash of all device code at path: equal for two paths
// that hold kernels of the same names with equal CodeHashes, in whatever files
// and directories. Compilers' caches name directories by a hash of the source,
// so that keys differ where code does not. Errors are those of CodeHashes.
func CodeFingerprint(path string) (string, error) {
	s, err := hashed(path)
	if err != nil {
		return "", err
	}
	lines := make([]string, len(s.Kernels))
	for i := range s.Kernels {
		lines[i] = fmt.Sprintf("%s %q\n", s.Kernels[i].hash, s.Kernels[i].Name)
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, l := range lines {
		io.WriteString(h, l)
	}
	return sum(h), nil
}

// hashed loads a path with the hash of every kernel, or says why not.
func hashed(path string) (*Snapshot, error) {
	s, err := load(path, true)
	if err != nil {
		return nil, err
	}
	if len(s.Problems) > 0 {
		return nil, fmt.Errorf("hashing device code: %s", s.Problems[0])
	}
	if s.unread != "" {
		return nil, fmt.Errorf("hashing device code: %q is not read", clip(s.unread, 200))
	}
	for i := range s.Kernels {
		if s.Kernels[i].hash == "" {
			return nil, fmt.Errorf("hashing device code: the code of %q is not in the input", s.Kernels[i].Key)
		}
	}
	return s, nil
}

// codeHash starts a hash. The kind keeps texts and objects apart.
func codeHash(kind string, m *module) hash.Hash {
	h := sha256.New()
	fmt.Fprintf(h, "perfbisect code 1\n%s\n%s\n", kind, m.target)
	return h
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// writeResolved adds what the descriptor resolves to: its text may only name
// symbols whose values depend on other functions of the module.
func writeResolved(w io.Writer, d *descriptor) {
	if d == nil {
		return
	}
	fmt.Fprintf(w, "descriptor %d %d %d %t %d %d %d %d\n", d.lds, d.private, d.nextFreeVGPR, d.hasVGPR, d.wave32, d.dynamicStack, d.accumOffset, d.wgpMode)
}
