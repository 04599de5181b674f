package hints

import (
	"regexp"
	"strconv"
	"strings"
)

// A typeInfo is the element type that a name speaks of.
type typeInfo struct {
	base  byte // 'f' float, 'b' bfloat, 'i' integer
	bits  int  // of one element
	lanes int  // of a vector type, else 1
}

// size is how many bits a value has.
func (t typeInfo) size() int { return t.bits * t.lanes }

var scalarTypes = map[string]typeInfo{}

func init() {
	add := func(base byte, bits int, names string) {
		for _, n := range strings.Fields(names) {
			scalarTypes[n] = typeInfo{base, bits, 1}
		}
	}
	add('f', 64, "double float64 fp64 f64 float64_t double_t")
	add('f', 32, "float float32 fp32 f32 float32_t float_t fp32_t")
	add('f', 19, "tf32 xf32 xfloat32_t tf32x3")
	add('f', 16, "half half_t _float16 __half fp16 fp16_t float16 float16_t f16 __fp16")
	add('b', 16, "bf16 bfloat16 bhalf_t bf16_t bfloat16_t __hip_bfloat16 hip_bfloat16 __nv_bfloat16 ushort_bf16 nv_bfloat16")
	add('f', 8, `fp8 f8 f8_t fp8_t bf8 bf8_t bf8_fnuz_t f8_fnuz_t f8_ocp_t float8e4nv float8e5 float8e4b8 float8e5b16 float8e4b15 float8_e4m3fn
		float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz fp8_e4m3 fp8_e5m2 fp8_e4m3fnuz e4m3 e5m2 __hip_fp8_e4m3 __hip_fp8_e4m3_fnuz f8e4m3fn f8e5m2 f8e4m3fnuz`)
	add('f', 6, "fp6 e2m3 e3m2")
	add('f', 4, "fp4 mxfp4 e2m1 f4 pk_fp4_t float4_e2m1fn_x2 nvfp4")
	add('i', 64, "int64 int64_t uint64 uint64_t i64 long_index_t u64 s64")
	add('i', 32, "int32 int32_t uint32 uint32_t i32 index_t u32 s32")
	add('i', 16, "int16 int16_t uint16 uint16_t i16 u16 s16")
	add('i', 8, "int8 int8_t uint8 uint8_t i8 u8 s8")
	add('i', 4, "int4_t pk_int4_t i4")
}

var (
	vectorType = regexp.MustCompile(`^(?:__)?(float|half|double|int|uint|char|uchar|short|ushort|long|ulong|bf16|fp16|fp8|bf8|bfloat16|bfloat162?|nv_bfloat16|f16|f32|halfx|floatx|int8|half_)x?_?(2|3|4|8|16|32)(?:_t|_type)?$`)
	shapedType = regexp.MustCompile(`^(?:(?:\d+|\?)x)*(\d+)x(!?[a-z]+\d+)$`)
	widthWord  = regexp.MustCompile(`^(?:.*_)?(?:dwordx(\d)|dword|b(8|16|32|64|96|128|256)|x(2|4|8)|short_d16|ubyte)(?:_.*)?$`)
)

var vectorBase = map[string]typeInfo{
	"float": {'f', 32, 1}, "floatx": {'f', 32, 1}, "f32": {'f', 32, 1}, "half": {'f', 16, 1}, "halfx": {'f', 16, 1}, "half_": {'f', 16, 1},
	"f16": {'f', 16, 1}, "fp16": {'f', 16, 1}, "bf16": {'b', 16, 1}, "bfloat16": {'b', 16, 1}, "nv_bfloat16": {'b', 16, 1}, "double": {'f', 64, 1},
	"int": {'i', 32, 1}, "uint": {'i', 32, 1}, "char": {'i', 8, 1}, "uchar": {'i', 8, 1}, "short": {'i', 16, 1}, "ushort": {'i', 16, 1},
	"long": {'i', 64, 1}, "ulong": {'i', 64, 1}, "fp8": {'f', 8, 1}, "bf8": {'f', 8, 1}, "int8": {'i', 8, 1},
}

// bareNames are types of C and LLVM that in Python are builtins or plain words.
var bareNames = wordSet("float double half int long char short f8 f4")

// typeOf reads a token as an element or vector type.
func typeOf(t token) (typeInfo, bool) {
	switch t.kind {
	case tokIdent, tokString:
	case tokNumber:
		if m := shapedType.FindStringSubmatch(t.text); m != nil {
			return scalar(m[2], 1)
		}
		return typeInfo{}, false
	default:
		return typeInfo{}, false
	}
	if len(t.text) > 64 || strings.IndexByte(t.text, ' ') >= 0 {
		return typeInfo{}, false
	}
	return scalar(t.last(), 1)
}

func scalar(name string, lanes int) (typeInfo, bool) {
	n := strings.ToLower(name)
	if ti, ok := scalarTypes[n]; ok {
		ti.lanes = lanes
		return ti, true
	}
	if m := vectorType.FindStringSubmatch(n); m != nil {
		ti := vectorBase[m[1]]
		ti.lanes, _ = strconv.Atoi(m[2])
		return ti, ti.bits > 0
	}
	return typeInfo{}, false
}

// typesIn lists the types among tokens; in Python only those that are no builtin.
func typesIn(l language, ts []token) []typeInfo {
	var out []typeInfo
	for _, t := range ts {
		ti, ok := typeOf(t)
		if !ok {
			continue
		}
		if l == langPython && (bareNames[strings.ToLower(t.text)] || t.kind == tokString && bareNames[t.text]) {
			continue
		}
		out = append(out, ti)
	}
	return out
}

// compareTypes judges a data type that is the value of a setting.
func compareTypes(a, b []token) verdict {
	d := diffTokens(a, b)
	x, y := typesIn(langC, d.gone), typesIn(langC, d.came)
	if len(x) > 0 && len(y) > 0 {
		return widening(x[0], y[0])
	}
	if len(x) == 0 && len(y) > 0 && y[0].bits >= 32 && y[0].base == 'f' {
		return verdict{level: 2, reason: "the type is now always the wide one"}
	}
	if p, q := boolOf(a), boolOf(b); p != unknown && q != unknown {
		return verdict{level: 2, faster: q == yes, reason: "a narrower type is switched " + map[bool]string{true: "on", false: "off"}[q == yes]}
	}
	s, t := strings.ToLower(textOf(a)), strings.ToLower(textOf(b))
	slow := func(s string) bool { return strings.Contains(s, "ieee") || strings.Contains(s, "highest") }
	switch {
	case slow(t) != slow(s):
		return verdict{level: 3, faster: slow(s), reason: "full precision needs several passes of the matrix cores"}
	case len(x) > 0 && len(b) == 1 && (t == `"auto"` || t == "none"):
		return verdict{level: 2, reason: "the type is no longer fixed"}
	}
	return verdict{}
}

// widening compares two element types.
func widening(x, y typeInfo) verdict {
	switch {
	case y.bits > x.bits:
		return verdict{level: 3, ratio: float64(y.bits) / float64(x.bits), reason: bitsText(x, y)}
	case y.bits < x.bits:
		return verdict{level: 3, faster: true, reason: bitsText(x, y)}
	case x.base != y.base && x.base != 'i' && y.base != 'i':
		return verdict{level: 2, reason: "same width, but other instructions and conversions"}
	}
	return verdict{}
}

func bitsText(x, y typeInfo) string {
	return strconv.Itoa(x.bits) + " to " + strconv.Itoa(y.bits) + " bits an element"
}

// accessBits reads the width of an access from a mnemonic or function name:
// dwordx4, b128, vload4. 0 if it has none.
func accessBits(name string) int {
	n := strings.ToLower(name)
	if m := copyWidth.FindStringSubmatch(n); m != nil {
		v, _ := strconv.Atoi(m[1])
		return v
	}
	if !strings.Contains(n, "load") && !strings.Contains(n, "store") && !strings.Contains(n, "read") && !strings.Contains(n, "write") && !strings.Contains(n, "ds_") {
		return 0
	}
	if m := regexpVload.FindStringSubmatch(n); m != nil {
		v, _ := strconv.Atoi(m[2])
		return 32 * max(v, 1)
	}
	m := widthWord.FindStringSubmatch(n)
	switch {
	case m == nil:
		return 0
	case m[1] != "":
		v, _ := strconv.Atoi(m[1])
		return 32 * v
	case m[2] != "":
		v, _ := strconv.Atoi(m[2])
		return v
	case m[3] != "":
		v, _ := strconv.Atoi(m[3])
		return 32 * v
	case strings.Contains(n, "ubyte"):
		return 8
	case strings.Contains(n, "short"):
		return 16
	}
	return 32
}

// copyWidth is the width in the name of a copy: BufferCopy128b.
var copyWidth = regexp.MustCompile(`copy_?(8|16|32|64|96|128|256)b?(_\w*)?$`)

var regexpVload = regexp.MustCompile(`^v(load|store)(?:a?_half)?(\d+)$`)
