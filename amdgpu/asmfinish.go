package amdgpu

import (
	"bytes"
	"sort"
)

// finish turns what scan collected into the module's evidence.
func (r *asmReader) finish() {
	if r.foreign != "" {
		r.m.problem(UnsupportedCodeObject, "", "%s", r.foreign)
		return
	}
	r.m.meta = r.metadata()
	r.m.checkTarget(".amdgcn_target", r.target, ParseTarget(r.m.meta.target))
	if r.m.version == 0 {
		r.m.version = r.m.meta.codeObject()
	}
	eval := &evaluator{target: r.m.target, sets: r.sets, values: map[string]int64{}, busy: map[string]bool{}}
	for name, raw := range r.descs {
		r.m.get(name).desc = raw.resolve(eval)
	}
	r.addBarriers()
	for i := range r.m.meta.kernels {
		r.kernelEvidence(r.m.meta.kernels[i].identity(), eval)
	}
}

// metadata parses the blocks, or says why there is none.
func (r *asmReader) metadata() *metadata {
	switch {
	case r.metaOpen:
		r.m.problem(Truncated, r.onlyKernel(), "the file ends inside the metadata: no .end_amdgpu_metadata")
	case r.openDesc != "":
		r.m.problem(Truncated, r.openDesc, "the file ends inside .amdhsa_kernel")
	case len(r.meta) == 0 && r.openFunction() != "":
		r.m.problem(Truncated, r.openFunction(), "the file ends inside the function: no .size and no metadata")
	case len(r.meta) == 0:
		r.m.problem(MetadataMissing, "", "no .amdgpu_metadata block")
	}
	all := new(metadata)
	if r.metaOpen {
		return all
	}
	for _, block := range r.meta {
		m, err := parseYAML(dropAsmComments(block))
		if err != nil {
			r.m.problem(BadMetadata, "", "%v", err)
		}
		all.join(m)
	}
	return all
}

// dropAsmComments blanks the lines of a metadata block that are comments to the
// assembler, which never gets to see them as YAML. Hand-written code has such.
func dropAsmComments(doc []byte) []byte {
	if !bytes.Contains(doc, []byte(";")) && !bytes.Contains(doc, []byte("//")) {
		return doc
	}
	out := bytes.Clone(doc)
	for at := 0; at < len(out); {
		end := lineEnd(out, at)
		if i := at + skipBlanks(out[at:end], 0); has(out[i:end], ";") || has(out[i:end], "//") {
			for j := at; j < end; j++ {
				out[j] = ' '
			}
		}
		at = end + 1
	}
	return out
}

// onlyKernel names the kernel of a module that has one descriptor.
func (r *asmReader) onlyKernel() string {
	if len(r.m.descriptorOrder) == 1 {
		return r.m.descriptorOrder[0]
	}
	return ""
}

// openFunction names a function whose label stands in the file and whose end
// does not.
func (r *asmReader) openFunction() string {
	last, at := "", -1
	for name := range r.functions {
		start, ok := r.labels[name]
		if _, sized := r.sizes[name]; ok && !sized && start > at {
			last, at = name, start
		}
	}
	return last
}

// kernelEvidence bounds one kernel's body, counts it and evaluates its
// resource symbols.
func (r *asmReader) kernelEvidence(name string, eval *evaluator) {
	e := r.m.get(name)
	e.arch = symbolOf(eval, name, "num_vgpr")
	e.agpr = symbolOf(eval, name, "num_agpr")
	e.sgpr = symbolOf(eval, name, "numbered_sgpr")
	_, labelled := r.labels[name+".kd"]
	e.rawDesc = labelled || len(r.macros) > 0
	body, ok := r.body(name)
	if !ok {
		return
	}
	e.hasBody = true
	if body == nil {
		e.mix, e.mixReason = new(Mix), "the label at the end of its .size is not in the file"
		return
	}
	e.mix, e.mixReason = countBody(body, r.macros)
	if _, sized := r.sizes[name]; !sized && len(r.macros) == 0 && !bytes.Contains(body, []byte("s_endpgm")) && !bytes.Contains(body, []byte("s_setpc")) {
		r.m.problem(Truncated, name, "its code has neither .size nor s_endpgm")
	}
}

// addBarriers notes where the kernels and functions start: a body without
// .size ends there at the latest.
func (r *asmReader) addBarriers() {
	for name := range r.functions {
		if at, ok := r.labels[name]; ok {
			r.barriers = append(r.barriers, at)
		}
	}
	for i := range r.m.meta.kernels {
		if at, ok := r.labels[r.m.meta.kernels[i].identity()]; ok {
			r.barriers = append(r.barriers, at)
		}
	}
	sort.Ints(r.barriers)
}

func symbolOf(eval *evaluator, kernel, suffix string) symbolValue {
	name := kernel + "." + suffix
	if _, ok := eval.sets[name]; !ok {
		return symbolValue{}
	}
	v, err := eval.symbol(name, 0)
	if err != nil {
		return symbolValue{set: true, reason: err.Error()}
	}
	if v < 0 {
		return symbolValue{set: true, reason: name + " is negative"}
	}
	return symbolValue{set: true, v: v}
}

// body returns the text of a kernel: from its label to the label that .size
// names; without .size to the next function, descriptor or the end. It is nil
// and true when .size names a label that is not there.
func (r *asmReader) body(name string) ([]byte, bool) {
	start, ok := r.labels[name]
	if !ok {
		return nil, false
	}
	if size, ok := r.sizes[name]; ok {
		end, found := size.at, true
		if size.end != "" {
			end, found = r.labels[size.end]
		}
		if found && end >= start && end <= len(r.data) {
			return r.data[start:end], true
		}
		return nil, true
	}
	i := sort.SearchInts(r.barriers, start+1)
	if i < len(r.barriers) {
		return r.data[start:r.barriers[i]], true
	}
	return r.data[start:], true
}

// resolve evaluates the expressions of a descriptor.
func (d *rawDescriptor) resolve(eval *evaluator) *descriptor {
	out := new(descriptor)
	out.lds, out.hasLDS = evalKnown(eval, d.lds)
	out.private, out.hasPrivate = evalKnown(eval, d.private)
	out.accumOffset, _ = evalKnown(eval, d.accumOffset)
	out.wave32 = evalToggle(eval, d.wave32)
	out.dynamicStack = evalToggle(eval, d.dynamicStack)
	out.wgpMode = evalToggle(eval, d.wgpMode)
	if d.nextFreeVGPR == nil {
		out.vgprReason = "no .amdhsa_next_free_vgpr"
		return out
	}
	v, err := eval.eval(d.nextFreeVGPR)
	switch {
	case err != nil:
		out.vgprReason = err.Error()
	case v < 0 || v > 1<<20:
		out.vgprReason = "the value of .amdhsa_next_free_vgpr is out of range"
	default:
		out.nextFreeVGPR, out.hasVGPR = v, true
	}
	return out
}

func evalKnown(eval *evaluator, text []byte) (int64, bool) {
	if text == nil {
		return 0, false
	}
	v, err := eval.eval(text)
	return v, err == nil && v >= 0
}

func evalToggle(eval *evaluator, text []byte) toggle {
	v, ok := evalKnown(eval, text)
	if !ok {
		return unset
	}
	return toggleOf(v != 0)
}
