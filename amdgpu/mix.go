package amdgpu

import "bytes"

// A Mix counts the instruction sites of one kernel's own body in a text dump:
// lines, not executions, and one for both halves of a dual-issue line, each
// from 0. Callees are not included. Names of instructions are those of LLVM's
// AMDGPU assembler for every generation.
type Mix struct {
	Total       int64 `json:"total"`
	VALU        int64 `json:"valu"`         // v_*
	SALU        int64 `json:"salu"`         // s_*, waits and barriers too
	Matrix      int64 `json:"matrix"`       // v_mfma, v_smfmac, v_wmma, v_swmmac
	LDSRead     int64 `json:"lds_read"`     // ds_read*, ds_load*
	LDSWrite    int64 `json:"lds_write"`    // ds_write*, ds_store*
	LDSOther    int64 `json:"lds_other"`    // LDS atomics and exchanges
	LDSDMA      int64 `json:"lds_dma"`      // loads that write LDS directly
	ScratchLoad int64 `json:"scratch_load"` // scratch_load*
	ScratchSt   int64 `json:"scratch_store"`
	GlobalLoad  int64 `json:"global_load"` // global_load*; the next five are likewise
	GlobalStore int64 `json:"global_store"`
	BufferLoad  int64 `json:"buffer_load"`
	BufferStore int64 `json:"buffer_store"`
	FlatLoad    int64 `json:"flat_load"`
	FlatStore   int64 `json:"flat_store"`
	SMEMLoad    int64 `json:"smem_load"` // s_load*, s_buffer_load*
	Barrier     int64 `json:"barrier"`   // s_barrier, s_barrier_wait
	Wait        int64 `json:"wait"`      // s_waitcnt*, s_wait_*
	// SpillStore and SpillLoad count "Folded Spill" and "Folded Reload"
	// comments: a lower bound, and 0 in dumps without comments.
	SpillStore int64 `json:"spill_store_comments"`
	SpillLoad  int64 `json:"spill_reload_comments"`
}

// countBody counts the statements of a body. The reason is not empty where
// the text does not show every instruction, so that the counts are no answer.
func countBody(body []byte, macros map[string]bool) (*Mix, string) {
	mix, reason := new(Mix), ""
	for len(body) > 0 {
		line := body
		if i := bytes.IndexByte(body, '\n'); i >= 0 {
			line, body = body[:i], body[i+1:]
		} else {
			body = nil
		}
		i := skipBlanks(line, 0)
		if i == len(line) {
			continue
		}
		switch c := line[i]; {
		case c >= 'a' && c <= 'z':
			mix.statement(line[i:], macros, &reason)
		case c == '.' && reason == "":
			reason = hiddenCode(line[i:])
		case c >= 'A' && c <= 'Z' || c == '_' || c == '\\':
			mix.statement(line[i:], macros, &reason)
		}
	}
	return mix, reason
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// hiddenCode recognises directives that make instructions the text does not
// show, or show instructions that are not assembled.
func hiddenCode(line []byte) string {
	end := 1
	for end < len(line) && line[end] >= 'a' && line[end] <= 'z' {
		end++
	}
	switch string(line[:end]) {
	case ".rept", ".irp", ".irpc", ".macro", ".if", ".ifdef", ".ifndef", ".ifc", ".ifeq", ".ifne", ".include", ".incbin", ".altmacro":
		return "the body uses " + string(line[:end]) + ", so its lines are not its instructions"
	}
	return ""
}

// statement counts "mnemonic operands", or "label: mnemonic operands".
func (m *Mix) statement(s []byte, macros map[string]bool, reason *string) {
	end := wordEnd(s, 0)
	if end < len(s) && s[end] == ':' {
		if i := skipBlanks(s, end+1); i < len(s) && s[i] >= 'a' && s[i] <= 'z' {
			m.statement(s[i:], macros, reason)
		}
		return
	}
	if i := skipBlanks(s, end); i < len(s) && s[i] == '=' {
		return // an assignment
	}
	if len(macros) > 0 && macros[string(s[:end])] {
		*reason = "the body calls the macro " + clip(string(s[:end]), 40)
		return
	}
	m.count(s[:end], s[end:])
}

// wordEnd is the end of the identifier that starts at i.
func wordEnd(b []byte, i int) int {
	for i < len(b) {
		c := b[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '$' || c == '@' || c >= 0x80) {
			return i
		}
		i++
	}
	return i
}

func has(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

// count classifies one instruction. Prefixes are those of every generation:
// gfx11 renames ds_read to ds_load, gfx12 splits waits and barriers.
func (m *Mix) count(op, rest []byte) {
	m.Total++
	if i := bytes.IndexByte(rest, ';'); i >= 0 {
		m.comment(rest[i:])
		rest = rest[:i]
	}
	switch op[0] {
	case 'v':
		if has(op, "v_") {
			m.VALU++
			if has(op, "v_mfma_") || has(op, "v_wmma_") || has(op, "v_smfmac_") || has(op, "v_swmmac_") {
				m.Matrix++
			}
		}
	case 's':
		m.scalarOrScratch(op)
	case 'd':
		m.lds(op)
	case 'g', 'b', 'f', 't':
		m.vectorMemory(op, rest)
	}
}

func (m *Mix) scalarOrScratch(op []byte) {
	switch {
	case has(op, "scratch_load"):
		m.ScratchLoad++
	case has(op, "scratch_store"):
		m.ScratchSt++
	case has(op, "s_"):
		m.SALU++
		switch {
		case has(op, "s_waitcnt"), has(op, "s_wait_"):
			m.Wait++
		case has(op, "s_load_"), has(op, "s_buffer_load_"):
			m.SMEMLoad++
		case string(op) == "s_barrier", string(op) == "s_barrier_wait":
			m.Barrier++
		}
	}
}

func (m *Mix) lds(op []byte) {
	if !has(op, "ds_") {
		return
	}
	switch name := op[3:]; {
	case ldsAccess(name, "read"), ldsAccess(name, "load"):
		m.LDSRead++
	case ldsAccess(name, "write"), ldsAccess(name, "store"):
		m.LDSWrite++
	case has(name, "permute"), has(name, "bpermute"), has(name, "swizzle"), has(name, "nop"), has(name, "gws"), has(name, "bvh"):
		// data moves between lanes, or nothing at all
	default:
		m.LDSOther++
	}
}

// ldsAccess matches read_b32, read2_b64, read2st64_b32 and the like, but not
// ds_storexchg: the verb is followed by "_" or "2".
func ldsAccess(name []byte, verb string) bool {
	return has(name, verb) && len(name) > len(verb) && (name[len(verb)] == '_' || name[len(verb)] == '2')
}

func (m *Mix) vectorMemory(op, rest []byte) {
	switch {
	case has(op, "global_load"):
		m.GlobalLoad++
	case has(op, "global_store"):
		m.GlobalStore++
	case has(op, "buffer_load"):
		m.BufferLoad++
	case has(op, "buffer_store"):
		m.BufferStore++
	case has(op, "flat_load"):
		m.FlatLoad++
	case has(op, "flat_store"):
		m.FlatStore++
	}
	if writesLDS(op, rest) {
		m.LDSDMA++
	}
}

// writesLDS recognises loads that bypass the registers: "buffer_load ... lds",
// global_load_lds_*, global_load_async_to_lds_*, tensor_load_to_lds.
func writesLDS(op, rest []byte) bool {
	if bytes.Contains(op, []byte("_load_lds_")) || bytes.Contains(op, []byte("load_to_lds")) || bytes.Contains(op, []byte("load_async_to_lds")) {
		return true
	}
	if !has(op, "buffer_load") && !has(op, "global_load") {
		return false
	}
	for i := 0; ; i += 3 {
		j := bytes.Index(rest[i:], []byte("lds"))
		if j < 0 {
			return false
		}
		i += j
		if wordEnd(rest, i) == i+3 && i > 0 && wordEnd(rest, i-1) == i-1 {
			return true
		}
	}
}

func (m *Mix) comment(c []byte) {
	switch {
	case bytes.Contains(c, []byte("Folded Spill")):
		m.SpillStore++
	case bytes.Contains(c, []byte("Folded Reload")):
		m.SpillLoad++
	}
}
