package amdgpu

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// packed is a compressed bundle of one header version and method.
func packed(tb testing.TB, version, method uint16, plain []byte) []byte {
	tb.Helper()
	var body bytes.Buffer
	if method == 0 {
		z := zlib.NewWriter(&body)
		if _, err := z.Write(plain); err != nil {
			tb.Fatal(err)
		}
		z.Close()
	} else {
		z, err := zstd.NewWriter(&body)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := z.Write(plain); err != nil {
			tb.Fatal(err)
		}
		z.Close()
	}
	le := binary.LittleEndian
	b := le.AppendUint16(le.AppendUint16([]byte(compressedMagic), version), method)
	switch version {
	case 1:
		b = le.AppendUint32(b, uint32(len(plain)))
	case 2:
		b = le.AppendUint32(le.AppendUint32(b, uint32(24+body.Len())), uint32(len(plain)))
	case 3:
		b = le.AppendUint64(le.AppendUint64(b, uint64(32+body.Len())), uint64(len(plain)))
	}
	return append(le.AppendUint64(b, 0x1234), body.Bytes()...) // the hash is not checked
}

// TestCompressedBundles reads every header version and method, one bundle
// after the other as a fat binary has them.
func TestCompressedBundles(t *testing.T) {
	plain := bundleOf(makeObject(note(testTarget, oneKernel()), oneKernel()))
	for version := uint16(1); version <= 3; version++ {
		for method := range uint16(2) {
			one := packed(t, version, method, plain)
			s, _ := LoadBytes("k.hipfb", one)
			if len(s.Kernels) != 1 || s.ExitCode() != 0 {
				t.Errorf("version %d method %d: %d kernels, %v", version, method, len(s.Kernels), s.Problems)
			}
			fat := hostObject(append(pad4096(one), one...))
			if version == 1 {
				fat = hostObject(append(bytes.Clone(one), one...)) // no length: no padding can be told from data
			}
			s, _ = LoadBytes("app", fat)
			if len(s.Kernels) != 2 || s.ExitCode() != 0 {
				t.Errorf("two of version %d method %d: %d kernels, %v", version, method, len(s.Kernels), s.Problems)
			}
		}
	}
}

func TestBadBundles(t *testing.T) {
	plain := bundleOf(makeObject(note(testTarget, oneKernel()), oneKernel()))
	short := packed(t, 2, 1, plain)
	short[12]++ // one byte more is announced than there is
	for _, c := range []struct {
		reason string
		data   []byte
	}{
		{"an unknown version", append([]byte(compressedMagic), 9, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
		{"an unknown method", packed(t, 2, 7, plain)},
		{"another length than announced", short},
		{"not a bundle inside", packed(t, 2, 1, []byte("hello"))},
		{"a count beyond the file", binary.LittleEndian.AppendUint64([]byte(bundleMagic), 1<<60)},
		{"something after the bundle", append(bytes.Clone(plain), "garbage"...)},
	} {
		s, _ := LoadBytes("k.hipfb", c.data)
		if s.ExitCode() != 2 {
			t.Errorf("%s: %d kernels, no problem", c.reason, len(s.Kernels))
		}
	}
}

// TestABI: what is not HSA code of version 3 or later is refused by name.
func TestABI(t *testing.T) {
	healthy := makeObject(note(testTarget, oneKernel()), oneKernel())
	for _, c := range []struct {
		reason       string
		osabi, ver   byte
		class        Class
		kernels, obj int
	}{
		{"code object v2", 64, 0, UnsupportedCodeObject, 0, 0},
		{"PAL", 65, 0, UnsupportedCodeObject, 0, 0},
		{"Mesa", 66, 0, UnsupportedCodeObject, 0, 0},
		{"v6", 64, 4, "", 1, 6},
		{"a version of the future is read with a warning", 64, 9, "", 1, 0},
	} {
		data := bytes.Clone(healthy)
		data[7], data[8] = c.osabi, c.ver
		s, _ := LoadBytes("k.o", data)
		if len(s.Kernels) != c.kernels || c.class != "" && !hasProblem(s.Problems, c.class) || c.class == "" && len(s.Problems) > 0 {
			t.Errorf("%s: %d kernels, %v", c.reason, len(s.Kernels), s.Problems)
		}
		if c.kernels == 1 && s.Kernels[0].CodeObjectVersion != c.obj {
			t.Errorf("%s: version %d", c.reason, s.Kernels[0].CodeObjectVersion)
		}
	}
	future := bytes.Clone(healthy)
	future[48] = 0xfe // a processor of the future: the metadata still names one
	if s, _ := LoadBytes("k.o", future); len(s.Kernels) != 1 || s.ExitCode() != 0 {
		t.Errorf("an unknown machine number: %v", s.Problems)
	}
}
