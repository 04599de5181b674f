package amdgpu

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/tinylib/msgp/msgp"
)

var errTooDeep = errors.New("nesting is too deep")

// parseMsgpack reads the descriptor of an NT_AMDGPU_METADATA note. Every
// element takes at least one byte of b, so that a hostile count ends at the
// end of b; nothing is allocated from a count.
func parseMsgpack(b []byte) (*metadata, error) {
	m := new(metadata)
	rest, err := eachPair(b, func(key string, b []byte) ([]byte, error) {
		switch key {
		case "amdhsa.kernels":
			m.hasKernels = true
			return eachItem(b, m.msgpackKernel)
		case "amdhsa.version":
			return eachItem(b, func(b []byte) ([]byte, error) {
				s, rest, _, err := msgpackScalar(b, 0)
				m.addVersion(s)
				return rest, err
			})
		}
		s, rest, ok, err := msgpackScalar(b, 0)
		if ok {
			m.setTop(key, s)
		}
		return rest, err
	})
	if err != nil {
		return m, fmt.Errorf("reading metadata at byte %d of %d: %w", len(b)-len(rest), len(b), err)
	}
	return m, nil
}

func (m *metadata) msgpackKernel(b []byte) ([]byte, error) {
	k := new(metaKernel)
	rest, err := eachPair(b, func(key string, b []byte) ([]byte, error) {
		if key == ".args" && isArray(b) {
			return eachItem(b, k.msgpackArg)
		}
		s, rest, ok, err := msgpackScalar(b, 0)
		if ok {
			k.set(key, s)
		} else {
			k.setNotScalar(key)
		}
		return rest, err
	})
	if err == nil {
		m.kernels = append(m.kernels, *k)
	}
	return rest, err
}

func (k *metaKernel) msgpackArg(b []byte) ([]byte, error) {
	return eachPair(b, func(key string, b []byte) ([]byte, error) {
		s, rest, ok, err := msgpackScalar(b, 0)
		if ok {
			k.setArg(key, s)
		}
		return rest, err
	})
}

func isArray(b []byte) bool { return len(b) > 0 && msgp.NextType(b) == msgp.ArrayType }

// eachPair calls f for each pair of the map at the start of b. f returns what
// follows the value. Keys must be strings.
func eachPair(b []byte, f func(key string, b []byte) ([]byte, error)) ([]byte, error) {
	n, b, err := msgp.ReadMapHeaderBytes(b)
	if err != nil {
		return b, err
	}
	for range n {
		var key []byte
		if key, b, err = msgp.ReadStringZC(b); err != nil {
			return b, err
		}
		if b, err = f(string(key), b); err != nil {
			return b, err
		}
	}
	return b, nil
}

// eachItem calls f for each item of the array at the start of b.
func eachItem(b []byte, f func(b []byte) ([]byte, error)) ([]byte, error) {
	n, b, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil {
		return b, err
	}
	for range n {
		if b, err = f(b); err != nil {
			return b, err
		}
	}
	return b, nil
}

// msgpackScalar reads the value at the start of b. ok is false for a value
// that is no scalar; it is skipped, to the depth limit.
func msgpackScalar(b []byte, depth int) (s scalar, rest []byte, ok bool, err error) {
	if len(b) == 0 {
		return s, b, false, msgp.ErrShortBytes
	}
	if depth > maxDepth {
		return s, b, false, errTooDeep
	}
	inner := func(b []byte) ([]byte, error) {
		_, rest, _, err := msgpackScalar(b, depth+1)
		return rest, err
	}
	switch msgp.NextType(b) {
	case msgp.StrType:
		v, rest, err := msgp.ReadStringZC(b)
		return scalar{string(v), true}, rest, true, err
	case msgp.BoolType:
		v, rest, err := msgp.ReadBoolBytes(b)
		return scalar{text: strconv.FormatBool(v)}, rest, true, err
	case msgp.UintType:
		v, rest, err := msgp.ReadUint64Bytes(b)
		return scalar{text: strconv.FormatUint(v, 10)}, rest, true, err
	case msgp.IntType:
		v, rest, err := msgp.ReadInt64Bytes(b)
		return scalar{text: strconv.FormatInt(v, 10)}, rest, true, err
	case msgp.MapType:
		rest, err = eachPair(b, func(_ string, b []byte) ([]byte, error) { return inner(b) })
		return s, rest, false, err
	case msgp.ArrayType:
		rest, err = eachItem(b, inner)
		return s, rest, false, err
	}
	text, ok := otherScalars[msgp.NextType(b)]
	rest, err = msgp.Skip(b)
	return scalar{text: text}, rest, ok, err
}

// otherScalars are leaves that no key of ours has, and how to call them.
var otherScalars = map[msgp.Type]string{msgp.Float32Type: "a floating-point number", msgp.Float64Type: "a floating-point number", msgp.NilType: "nil"}
