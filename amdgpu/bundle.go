package amdgpu

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
)

const (
	bundleMagic     = "__CLANG_OFFLOAD_BUNDLE__"
	compressedMagic = "CCOB"
	textBundleStart = "# __CLANG_OFFLOAD_BUNDLE____START__ "
	textBundleEnd   = "# __CLANG_OFFLOAD_BUNDLE____END__ "
	gzipMagic       = "\x1f\x8b\x08"

	// maxNesting bounds containers in containers (gzip of a bundle of ...).
	maxNesting = 4
	// Unpacked data may be unpackFloor bytes, or unpackRatio times the packed
	// size, but never over unpackCeiling. Device code packs about 6 to 1, and
	// one LLVM dump of equal kernels 60 to 1; a bomb packs 1,000 to 1.
	unpackFloor   = 16 << 20
	unpackRatio   = 200
	unpackCeiling = 1 << 30

	// maxEntries bounds the entries of one bundle. Each costs more memory than
	// the file spends on it.
	maxEntries = 1 << 16
)

var errBomb = errors.New("unpacks to more than this reader allows")

// An unpackFunc refuses, or counts, packed bytes that claim to become so many.
type unpackFunc func(packed int, plain uint64) error

// unpackLimit is the most that packed bytes may become.
func unpackLimit(packed int) int64 {
	return min(unpackCeiling, max(unpackFloor, int64(packed)*unpackRatio))
}

// unpackBudget is the most that everything packed in one file of size bytes
// may become together: many small bombs are one.
func unpackBudget(size int) int64 { return max(4*unpackFloor, int64(size)*unpackRatio) }

// mayUnpack takes what is about to be unpacked off the file's budget.
func (l *loader) mayUnpack(packed int, plain uint64) error {
	if limit := min(unpackLimit(packed), l.budget); limit < 0 || plain > uint64(limit) {
		return fmt.Errorf("%d bytes announced for %d, over %d: %w", plain, packed, max(limit, 0), errBomb)
	}
	l.budget -= int64(plain)
	return nil
}

// readLimited reads r to its end, or refuses when it gives more than limit.
func readLimited(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("over %d bytes: %w", limit, errBomb)
	}
	return b, nil
}

// gunzip unpacks to at most limit bytes.
func gunzip(data []byte, limit int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading gzip: %w", err)
	}
	b, err := readLimited(z, limit)
	if err != nil {
		return nil, fmt.Errorf("reading gzip: %w", err)
	}
	return b, nil
}

// ccob is the header of a compressed bundle.
// Source: CompressedOffloadBundle in clang's OffloadBundler.h.
type ccob struct {
	header   int    // bytes
	method   uint16 // 0 zlib, 1 zstd
	total    uint64 // with the header; 0 in version 1, which does not say
	unpacked uint64
}

// isCCOB reports whether a compressed bundle starts here, as far as the start of
// a file can say: four letters alone are little.
func isCCOB(b []byte) bool {
	le := binary.LittleEndian
	return len(b) >= 20 && bytes.HasPrefix(b, []byte(compressedMagic)) && le.Uint16(b[4:])-1 < 3 && le.Uint16(b[6:]) < 2
}

func parseCCOB(b []byte) (ccob, error) {
	le := binary.LittleEndian
	if len(b) < 20 {
		return ccob{}, fmt.Errorf("reading compressed bundle: header of 20 bytes in %d", len(b))
	}
	version, h := le.Uint16(b[4:]), ccob{method: le.Uint16(b[6:])}
	switch version {
	case 1:
		h.header, h.unpacked = 20, uint64(le.Uint32(b[8:]))
	case 2:
		h.header, h.total, h.unpacked = 24, uint64(le.Uint32(b[8:])), uint64(le.Uint32(b[12:]))
	case 3:
		if len(b) < 32 {
			return ccob{}, fmt.Errorf("reading compressed bundle: header of 32 bytes in %d", len(b))
		}
		h.header, h.total, h.unpacked = 32, le.Uint64(b[8:]), le.Uint64(b[16:])
	default:
		return ccob{}, fmt.Errorf("reading compressed bundle: version %d, want 1 to 3", version)
	}
	if h.header > len(b) || h.total > uint64(len(b)) || h.total > 0 && h.total < uint64(h.header) {
		return ccob{}, fmt.Errorf("reading compressed bundle: %d bytes announced, %d there", h.total, len(b))
	}
	return h, nil
}

// uncompress unpacks the compressed bundle at the start of b and returns how
// many bytes of b it took.
func uncompress(b []byte, unpack unpackFunc) (plain []byte, used int, err error) {
	h, err := parseCCOB(b)
	if err != nil {
		return nil, 0, err
	}
	used = int(h.total)
	if h.total == 0 {
		used = nextCCOB(b)
	}
	body := b[h.header:used]
	if err := unpack(len(body), max(h.unpacked, zstdWindow(body))); err != nil {
		return nil, used, fmt.Errorf("unpacking bundle: %w", err)
	}
	plain, err = inflate(h, body)
	if err != nil {
		return nil, used, fmt.Errorf("unpacking bundle: %w", err)
	}
	if uint64(len(plain)) != h.unpacked {
		return nil, used, fmt.Errorf("unpacking bundle: %d bytes, %d announced", len(plain), h.unpacked)
	}
	return plain, used, nil
}

// zstdWindow is the memory that a zstd stream asks for before it unpacks
// anything, 0 if b is none. Compressors that stream ask for more than they need.
func zstdWindow(b []byte) uint64 {
	var h zstd.Header
	if h.Decode(b) != nil {
		return 0
	}
	return h.WindowSize
}

// nextCCOB is where the next compressed bundle starts, or len(b): version 1
// does not state its own length.
func nextCCOB(b []byte) int {
	for at := len(compressedMagic); ; {
		i := bytes.Index(b[at:], []byte(compressedMagic))
		if i < 0 {
			return len(b)
		}
		at += i
		if _, err := parseCCOB(b[at:]); err == nil {
			return at
		}
		at += len(compressedMagic)
	}
}

func inflate(h ccob, body []byte) ([]byte, error) {
	switch h.method {
	case 0:
		z, err := zlib.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return readLimited(z, int64(h.unpacked))
	case 1:
		limit := max(unpackFloor, h.unpacked+1)
		z, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(limit), zstd.WithDecoderMaxWindow(min(512<<20, limit)), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return readLimited(z, int64(h.unpacked))
	}
	return nil, fmt.Errorf("method %d, want 0 (zlib) or 1 (zstd)", h.method)
}

// A member is one entry of an offload bundle.
type member struct {
	id   string // "hipv4-amdgcn-amd-amdhsa--gfx90a", "host-x86_64-..."
	data []byte
	at   int // where data starts
}

// parseBundle reads the plain bundle at the start of b: the magic, a count,
// and for each entry offset, size, length of the ID and the ID. It returns how
// many bytes of b it took.
func parseBundle(b []byte) (members []member, used int, err error) {
	le := binary.LittleEndian
	pos := len(bundleMagic)
	if len(b) < pos+8 {
		return nil, 0, fmt.Errorf("reading bundle: no entry count in %d bytes", len(b))
	}
	count := le.Uint64(b[pos:])
	pos += 8
	if count > min(maxEntries, uint64(len(b)-pos)/24) {
		return nil, 0, fmt.Errorf("reading bundle: %d entries in %d bytes", count, len(b))
	}
	used = pos
	for i := range count {
		if len(b)-pos < 24 {
			return nil, 0, fmt.Errorf("reading bundle: entry %d of %d is cut", i, count)
		}
		off, size, idLen := le.Uint64(b[pos:]), le.Uint64(b[pos+8:]), le.Uint64(b[pos+16:])
		pos += 24
		if idLen > uint64(len(b)-pos) || idLen > 1<<12 {
			return nil, 0, fmt.Errorf("reading bundle: entry %d has an ID of %d bytes", i, idLen)
		}
		id := string(b[pos : pos+int(idLen)])
		pos += int(idLen)
		if off > uint64(len(b)) || size > uint64(len(b))-off {
			return nil, 0, fmt.Errorf("reading bundle: entry %q ends at byte %d of %d", clip(id, 60), off+size, len(b))
		}
		members = append(members, member{id, b[off : off+size], int(off)})
		used = max(used, int(off+size), pos)
	}
	if err := checkOverlap(members); err != nil {
		return nil, 0, fmt.Errorf("reading bundle: %w", err)
	}
	return members, used, nil
}

// checkOverlap refuses members that share bytes: no tool writes such, and they
// would make a small file cost as much as a big one.
func checkOverlap(members []member) error {
	sorted := slices.Clone(members)
	slices.SortFunc(sorted, func(x, y member) int { return cmp.Compare(x.at, y.at) })
	end := 0
	for _, m := range sorted {
		if len(m.data) > 0 && m.at < end {
			return fmt.Errorf("entry %q overlaps another", clip(m.id, 60))
		}
		end = max(end, m.at+len(m.data))
	}
	return nil
}

// isTextBundle reports whether a text holds the marker lines of bundled
// assembly ("clang -S --gpu-bundle-output").
func isTextBundle(b []byte) bool { return lineIndex(b, textBundleStart) >= 0 }

// lineIndex finds the first line of b that starts with prefix.
func lineIndex(b []byte, prefix string) int {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte(prefix))
		if i < 0 {
			return -1
		}
		if i += from; i == 0 || b[i-1] == '\n' {
			return i
		}
		from = i + 1
	}
}

// splitTextBundle returns the members of bundled assembly. A member without
// its end line is an error: the file was cut.
func splitTextBundle(b []byte) (members []member, err error) {
	for {
		i := lineIndex(b, textBundleStart)
		if i < 0 {
			return members, err
		}
		b = b[i+len(textBundleStart):]
		head, body, ok := bytes.Cut(b, []byte("\n"))
		id := string(bytes.TrimSpace(head))
		end := lineIndex(body, textBundleEnd+id)
		if !ok || end < 0 {
			return append(members, member{id: id, data: body}), fmt.Errorf("reading bundle: entry %q has no end line", clip(id, 60))
		}
		members = append(members, member{id: id, data: body[:end]})
		b = body[end:]
	}
}
