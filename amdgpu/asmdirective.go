package amdgpu

import (
	"bytes"
	"strings"
)

// directive reads a line that starts with a dot: a local label or a directive.
func (r *asmReader) directive(line []byte, i int) {
	end := wordEnd(line, i)
	if end < len(line) && line[end] == ':' {
		if !r.inMacro {
			r.label(string(line[i:end]), r.line+end+1)
		}
		return
	}
	switch word, rest := line[i:end], line[end:]; {
	case r.inMacro:
		r.inMacro = string(word) != ".endm" && string(word) != ".endmacro"
	case has(word, ".amd") || has(word, ".end_amd") || has(word, ".hsa_"):
		r.amdDirective(word, rest)
	default:
		r.gasDirective(word, rest)
	}
}

// gasDirective reads what all assembly has.
func (r *asmReader) gasDirective(word, rest []byte) {
	switch string(word) {
	case ".size":
		r.size(rest)
	case ".type":
		r.typeOf(rest)
	case ".set", ".equ", ".equiv":
		if name, text, ok := operand(rest); ok {
			r.set(name, text)
		}
	case ".ident":
		if s, _, ok := quoted(bytes.TrimSpace(rest)); ok && r.m.compiler == "" {
			r.m.compiler = s
		}
	case ".macro":
		r.inMacro = true
		w := skipBlanks(rest, 0)
		r.macros[string(rest[w:wordEnd(rest, w)])] = true
	}
}

func (r *asmReader) typeOf(rest []byte) {
	if name, kind, ok := operand(rest); ok && (has(kind, "@function") || has(kind, "%function") || has(kind, "STT_FUNC")) {
		r.functions[name] = true
	}
}

// size reads ".size name, .Lfunc_end0-name" or ".size name, .-name". Any other
// expression ends the definition where the directive stands.
func (r *asmReader) size(rest []byte) {
	name, expr, ok := operand(rest)
	if !ok {
		return
	}
	if !r.functions[name] {
		if _, ok := r.labels[name]; !ok {
			return
		}
	}
	end, _ := sizeEnd(expr, name)
	if _, ok := r.sizes[name]; !ok {
		r.sizes[name] = sizeDirective{end, r.line}
	}
	r.lastSized = name
}

// sizeEnd is the label that a size expression subtracts name from.
func sizeEnd(expr []byte, name string) (string, bool) {
	expr = bytes.TrimSpace(expr)
	var end string
	if len(expr) > 0 && expr[0] == '"' {
		s, n, ok := quoted(expr)
		if !ok {
			return "", false
		}
		end, expr = s, expr[n:]
	} else {
		i := bytes.IndexByte(expr, '-')
		if i < 0 {
			return "", false
		}
		end, expr = string(bytes.TrimSpace(expr[:i])), expr[i:]
	}
	expr, ok := bytes.CutPrefix(bytes.TrimSpace(expr), []byte("-"))
	base := bytes.TrimSpace(expr)
	if len(base) > 0 && base[0] == '"' {
		s, _, _ := quoted(base)
		base = []byte(s)
	} else {
		base = base[:wordEnd(base, 0)]
	}
	if !ok || string(base) != name {
		return "", false
	}
	if end == "." {
		end = ""
	}
	return end, true
}

// amdDirective reads what only AMDGPU assembly has.
func (r *asmReader) amdDirective(word, rest []byte) {
	switch string(word) {
	case ".amdgcn_target":
		r.targetDirective(rest)
	case ".amdhsa_code_object_version":
		r.m.version = integerOperand(rest)
	case ".amdgpu_metadata":
		r.metadataBlock()
	case ".amdhsa_kernel":
		r.openDescriptor(rest)
	case ".end_amdhsa_kernel":
		if at, ok := r.descAt[r.openDesc]; ok && at[1] == 0 {
			r.descAt[r.openDesc] = [2]int{at[0], r.pos}
		}
		r.openDesc = ""
	case ".hsa_code_object_version", ".amd_amdgpu_hsa_metadata", ".amd_kernel_code_t", ".amdgpu_hsa_kernel":
		r.foreign = "code object v2 (" + string(word) + "); v3 and later are read"
	case ".amdgpu_pal_metadata", ".amd_amdgpu_pal_metadata":
		r.foreign = "PAL code (" + string(word) + "); only amdhsa is read"
	case ".amdgpu_info":
		r.m.unlinked = objectLinking
	case ".amd_amdgpu_isa":
		if t := ParseTarget(unquoteOperand(rest)); t.OS != "" && t.OS != "amdhsa" {
			r.foreign = "operating system " + t.OS + "; only amdhsa is read"
		}
	default:
		if d := r.descs[r.openDesc]; r.openDesc != "" && d != nil {
			d.set(word, rest)
		}
	}
}

func unquoteOperand(b []byte) string {
	b = bytes.TrimSpace(b)
	if s, _, ok := quoted(b); ok && b[0] == '"' {
		return s
	}
	return string(trimComment(b))
}

// targetDirective keeps the first target. One that follows a finished metadata
// block starts the next module of a concatenated file.
func (r *asmReader) targetDirective(rest []byte) {
	t := unquoteOperand(rest)
	switch {
	case r.target == "":
		r.target = t
	case len(r.meta) > 0:
		r.moreTarget = true
	case r.target != t:
		r.m.problem(TargetConflict, "", ".amdgcn_target says %q, then %q", clip(r.target, 80), clip(t, 80))
	}
}

// metadataBlock takes everything to the line .end_amdgpu_metadata. Without
// that line the file was cut, wherever the last key happens to end.
func (r *asmReader) metadataBlock() {
	start := r.pos
	for from := start; ; {
		i := bytes.Index(r.data[from:], []byte(".end_amdgpu_metadata"))
		if i < 0 {
			r.metaOpen, r.pos = true, len(r.data)
			return
		}
		at := from + i
		if line, ok := lineStart(r.data, at); ok {
			r.meta = append(r.meta, r.data[start:max(start, line)])
			r.pos = min(lineEnd(r.data, at)+1, len(r.data))
			return
		}
		from = at + 1
	}
}

// openDescriptor starts a block. LLVM writes the name without quotes, whatever
// it holds, to the end of the line; what looks like a comment may be its end.
func (r *asmReader) openDescriptor(rest []byte) {
	name := string(bytes.TrimSpace(rest))
	if _, known := r.labels[name]; !known {
		name = descriptorName(rest)
	}
	r.openDesc = name
	if r.descs[name] == nil {
		r.descs[name] = new(rawDescriptor)
		r.descAt[name] = [2]int{r.line, 0}
		r.m.descriptorOrder = append(r.m.descriptorOrder, name)
	}
	r.barriers = append(r.barriers, r.line)
}

func descriptorName(rest []byte) string {
	rest = bytes.TrimSpace(rest)
	if len(rest) > 0 && rest[0] == '"' {
		if s, _, ok := quoted(rest); ok {
			return s
		}
	}
	// A comment needs a blank before it: a name may hold anything else.
	for _, mark := range []string{" ;", "\t;", " //", "\t//"} {
		if i := bytes.Index(rest, []byte(mark)); i >= 0 {
			rest = rest[:i]
		}
	}
	return strings.TrimSpace(string(rest))
}

// set keeps the expression of a directive that a column needs.
func (d *rawDescriptor) set(word, rest []byte) {
	if field := descriptorFields[string(word)]; field != nil {
		*field(d) = trimComment(rest)
	}
}

var descriptorFields = map[string]func(*rawDescriptor) *[]byte{
	".amdhsa_group_segment_fixed_size":   func(d *rawDescriptor) *[]byte { return &d.lds },
	".amdhsa_private_segment_fixed_size": func(d *rawDescriptor) *[]byte { return &d.private },
	".amdhsa_next_free_vgpr":             func(d *rawDescriptor) *[]byte { return &d.nextFreeVGPR },
	".amdhsa_accum_offset":               func(d *rawDescriptor) *[]byte { return &d.accumOffset },
	".amdhsa_wavefront_size32":           func(d *rawDescriptor) *[]byte { return &d.wave32 },
	".amdhsa_uses_dynamic_stack":         func(d *rawDescriptor) *[]byte { return &d.dynamicStack },
	".amdhsa_workgroup_processor_mode":   func(d *rawDescriptor) *[]byte { return &d.wgpMode },
}
