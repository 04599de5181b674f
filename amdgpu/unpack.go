package amdgpu

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	compressedMagic = "CCOB"
	gzipMagic       = "\x1f\x8b\x08"

	// maxNesting bounds containers in containers (gzip of a bundle of ...).
	maxNesting = 4
	// Unpacked data may be unpackFloor bytes, or unpackRatio times the packed
	// size, but never over unpackCeiling. Device code packs about 6 to 1, and
	// one LLVM dump of equal kernels 60 to 1; a bomb packs 1,000 to 1.
	unpackFloor   = 16 << 20
	unpackRatio   = 200
	unpackCeiling = 1 << 30
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
