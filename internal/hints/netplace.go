package hints

import "strings"

// placeLevel weighs whether the line is on the side where the feature matters.
func (fc *fileContext) placeLevel(f *feature, l *srcLine, level int) int {
	switch f.where {
	case yes:
		return fc.deviceLevel(f, l, level)
	case no:
		return fc.hostLevel(f, l, level)
	}
	switch {
	case f.kind == "heap" && l.dev == yes && deviceHeap(l.toks):
		return 3
	case f.kind == "heap" && !fc.aboutGPU() && !hotName.MatchString(l.fn):
		return 0
	case l.dev == no && l.loop != yes && (f.kind == "upcast" || f.kind == "downcast"):
		return level - 1
	}
	return level
}

func (fc *fileContext) deviceLevel(f *feature, l *srcLine, level int) int {
	switch {
	case l.dev == no:
		return 0
	case l.dev == unknown && !fc.aboutGPU():
		return level - 2
	case l.dev == unknown && f.kind != "barrier" && f.kind != "prefetch":
		return level - 1
	}
	return level
}

func (fc *fileContext) hostLevel(f *feature, l *srcLine, level int) int {
	hot := hotName.MatchString(l.fn)
	switch {
	case l.dev == yes:
		return 0
	case f.kind == "python" && (strings.Contains(l.text, "std::") && !hot || buildTool.MatchString(fc.path)):
		return level - 2
	case f.kind == "log" && l.loop != yes && !hot:
		return 0
	case f.pattern == "alloc" && l.loop != yes && setupName.MatchString(l.fn):
		return min(level-1, 1)
	case !hot && !fc.aboutGPU():
		return level - 1
	}
	return level
}

// aboutGPU tells whether the file's name, kind or words speak of GPU code.
func (fc *fileContext) aboutGPU() bool {
	return fc.gpu || fc.triton || fc.deviceOnly() || fc.ext == ".cu" || fc.ext == ".cuh" || fc.ext == ".hip"
}

// deviceHeap tells whether a line allocates in a way that kernels can.
func deviceHeap(ts []token) bool {
	for i, t := range ts {
		if t.text == "new" && i > 0 && ts[i-1].text == "=" || (t.text == "malloc" || t.text == "calloc") && i+1 < len(ts) && ts[i+1].text == "(" {
			return true
		}
	}
	return false
}

// setupName is the name of a function that runs once.
var setupName = rx(`(?i)(^|_)(__init__|init|initialize|setup|create|warmup|allocate)(_|$)`)

// buildTool are places of code that runs before kernels do.
var buildTool = rx(`(?i)(^|/)(setup\.py|conf\.py|compiler|jit|codegen|build|scripts?|tools?|generate\w*|gen_\w*|\w*_gen)(/|$|\.py$|_)`)

// hotName is the name of a function that runs for every batch or token.
var hotName = rx(`(?i)(^|_)(forward|fwd|bwd|backward|apply|launch|run|step|decode|prefill|attention|execute|invoke|dispatch|compute|gemm|matmul|call|__call__|kernel|moe|norm|impl)(_|$)|(Forward|Launch|Run|Execute|Invoke|Step)`)
