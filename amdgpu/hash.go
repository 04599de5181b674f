package amdgpu

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
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
// that was cut or not understood is not "the same" as anything.
func CodeHashes(path string) (map[string]string, error) {
	s, err := load(path, true)
	if err != nil {
		return nil, err
	}
	if len(s.Problems) > 0 {
		return nil, fmt.Errorf("hashing device code: %s", s.Problems[0])
	}
	hashes := make(map[string]string, len(s.Kernels))
	for i := range s.Kernels {
		if k := &s.Kernels[i]; k.hash != "" {
			hashes[k.Key] = k.hash
		}
	}
	if len(hashes) == 0 {
		return nil, fmt.Errorf("hashing device code: a snapshot holds none")
	}
	return hashes, nil
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
