package amdgpu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// offloadMagic starts an offload binary: what the new offload driver puts into
// the section .llvm.offloading, and clang-offload-packager and
// llvm-offload-binary write. Source: LLVM's ClangOffloadPackager.rst and
// OffloadBinary.h, versions 1 to 3.
const offloadMagic = "\x10\xff\x10\xad"

const (
	offloadEntrySize   = 40
	offloadPlainHeader = 32 // of versions 1 and 2; version 3 has 8 bytes more
	offloadNoImage     = 1  // flag of an entry that holds metadata only

	// The strings of one entry are a few; many entries may share them.
	maxOffloadStrings = 256
	maxOffloadString  = 128
)

// offloadKinds names the producer of an image: a bit each, but counted before
// LLVM 20, where HIP was 3.
var offloadKinds = map[uint16]string{1: "openmp", 2: "cuda", 3: "hip", 4: "hip", 8: "sycl"}

// parseOffload reads the offload binary at the start of b and returns its
// images as the members of a bundle, and how many bytes it took; 0 if that is
// not known. unpack is asked before anything is unpacked.
func parseOffload(b []byte, unpack unpackFunc) (members []member, used int, err error) {
	le := binary.LittleEndian
	if len(b) < offloadPlainHeader {
		return nil, 0, fmt.Errorf("reading offload binary: a header of %d bytes in %d", offloadPlainHeader, len(b))
	}
	version, size := le.Uint32(b[4:]), le.Uint64(b[8:])
	if size < offloadPlainHeader || size > uint64(len(b)) {
		return nil, 0, fmt.Errorf("reading offload binary: %d bytes announced, %d there", size, len(b))
	}
	b = b[:size]
	switch {
	case version < 1 || version > 3:
		return nil, int(size), fmt.Errorf("reading offload binary: version %d, want 1 to 3", version)
	case version == 3 && size < offloadPlainHeader+8:
		return nil, int(size), fmt.Errorf("reading offload binary: version 3 in %d bytes", size)
	case version == 3 && le.Uint64(b[32:]) != 0:
		if b, err = inflateOffload(b, unpack); err != nil {
			return nil, int(size), err
		}
	}
	if members, err = offloadImages(b, version); err != nil {
		return nil, int(size), fmt.Errorf("reading offload binary: %w", err)
	}
	return members, int(size), nil
}

// inflateOffload restores a compressed offload binary: what follows the header
// is one zstd frame or zlib stream.
func inflateOffload(b []byte, unpack unpackFunc) ([]byte, error) {
	le := binary.LittleEndian
	head, full := le.Uint64(b[16:]), le.Uint64(b[32:])
	if head < offloadPlainHeader+8 || head > uint64(len(b)) || full < head {
		return nil, fmt.Errorf("reading offload binary: entries at byte %d, %d of %d bytes unpacked", head, full, len(b))
	}
	body := b[head:]
	if err := unpack(len(body), max(full-head, zstdWindow(body))); err != nil {
		return nil, fmt.Errorf("unpacking offload binary: %w", err)
	}
	h := ccob{unpacked: full - head}
	if (&zstd.Header{}).Decode(body) == nil {
		h.method = 1
	}
	plain, err := inflate(h, body)
	if err != nil {
		return nil, fmt.Errorf("unpacking offload binary: %w", err)
	}
	if uint64(len(plain)) != h.unpacked {
		return nil, fmt.Errorf("unpacking offload binary: %d bytes, %d announced", len(plain), h.unpacked)
	}
	return append(bytes.Clone(b[:head]), plain...), nil
}

// offloadImages lists the images of an unpacked offload binary. Offsets count
// from its start. Version 1 has one entry and states the entry's size where
// later versions state how many there are.
func offloadImages(b []byte, version uint32) ([]member, error) {
	le := binary.LittleEndian
	at, count, size := le.Uint64(b[16:]), le.Uint64(b[24:]), uint64(len(b))
	if version == 1 {
		count = 1
	}
	if at > size || count > min(maxEntries, (size-at)/offloadEntrySize) {
		return nil, fmt.Errorf("%d entries at byte %d of %d", count, at, size)
	}
	var members []member
	for i := range count {
		e := b[at+i*offloadEntrySize:][:offloadEntrySize]
		if le.Uint32(e[4:])&offloadNoImage != 0 {
			continue
		}
		off, n := le.Uint64(e[24:]), le.Uint64(e[32:])
		if off > size || n > size-off {
			return members, fmt.Errorf("image %d has %d bytes at byte %d of %d", i, n, off, size)
		}
		id, err := offloadID(b, e, version)
		if err != nil {
			return members, err
		}
		members = append(members, member{id, b[off : off+n], int(off)})
	}
	return members, checkOverlap(members)
}

// offloadID makes of an entry's strings what a bundle would call it:
// "hip-amdgcn-amd-amdhsa--gfx90a:xnack+".
func offloadID(b, entry []byte, version uint32) (string, error) {
	le := binary.LittleEndian
	at, count, size := le.Uint64(entry[8:]), le.Uint64(entry[16:]), uint64(len(b))
	each := uint64(24) // key, value, length of the value
	if version == 1 {
		each = 16
	}
	if at > size || count > min(maxOffloadStrings, (size-at)/each) {
		return "", fmt.Errorf("%d strings at byte %d of %d", count, at, size)
	}
	var triple, arch string
	for i := range count {
		s := b[at+i*each:]
		key, value := le.Uint64(s), le.Uint64(s[8:])
		if key >= size || value >= size {
			return "", errors.New("a string is outside it")
		}
		switch {
		case bytes.HasPrefix(b[key:], []byte("triple\x00")):
			triple = shortString(b[value:])
		case bytes.HasPrefix(b[key:], []byte("arch\x00")):
			arch = shortString(b[value:])
		}
	}
	kind := offloadKinds[le.Uint16(entry[2:])]
	if kind == "" {
		kind = "offload"
	}
	return fmt.Sprintf("%s-%s--%s", kind, triple, arch), nil
}

// shortString is the string at the start of b, to its NUL, if it is short
// enough to be a triple or a target.
func shortString(b []byte) string {
	s, _, ok := bytes.Cut(b[:min(len(b), maxOffloadString)], []byte{0})
	if !ok {
		return ""
	}
	return string(s)
}
