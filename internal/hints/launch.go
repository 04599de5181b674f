package hints

import (
	"fmt"
	"slices"
)

// launchParts are the arguments of <<<grid, block, lds, stream>>>.
var launchParts = []struct{ pattern, what string }{{"launch_config", "grid"}, {"num_warps", "workgroup size"}, {"lds_size", "dynamic LDS"}, {"stream", "stream"}}

// launchRule compares the launch of a kernel and reports the first argument that
// changed.
func (fc *fileContext) launchRule(c *change) {
	a, b := launchArgs(c.old.toks), launchArgs(c.new.toks)
	if len(a) < 2 || len(b) < 2 {
		fc.dimRule(c)
		return
	}
	for i := range min(len(a), len(launchParts)) {
		part, stream := launchParts[i], i == 3
		switch {
		case i >= len(b) && stream:
			fc.emit(c.hint(part.pattern, 3, "the launch no longer names its stream: it uses the default one"))
			return
		case i >= len(b) && textOf(a[i]) == "0":
			continue
		case i >= len(b):
			return
		case equalTokens(a[i], b[i]) || fc.sameValue(a[i], b[i]):
			continue
		}
		e := c.hint(part.pattern, 2, fmt.Sprintf("the %s of the launch changed from %s to %s", part.what, textOf(a[i]), textOf(b[i])))
		switch d := diffTokens(a[i], b[i]); {
		case onlyNumbers(d.gone) && onlyNumbers(d.came), stream && defaultStream.MatchString(textOf(b[i])):
			e.level = 3
		case !stream && len(b[i]) == 1 && b[i][0].kind == tokIdent && hasNumber(a[i]):
			e.level = 1 // a number got a name
		}
		fc.emit(e)
		return
	}
}

var defaultStream = rx(`^(0|nullptr)$|efault`)

// launchArgs returns the launch arguments, or nil.
func launchArgs(ts []token) [][]token {
	for i := range ts {
		switch ts[i].text {
		case "<<<":
			for j := i; j < len(ts); j++ {
				if ts[j].text == ">>>" {
					return splitArgs(ts[i+1 : j])
				}
			}
		case "hipLaunchKernelGGL":
			if i+1 < len(ts) && ts[i+1].text == "(" {
				if args := splitArgs(ts[i+2 : closing(ts, i+1)]); len(args) > 4 {
					return args[1:5]
				}
			}
		}
	}
	return nil
}

// dimRule compares dim3 block(256).
func (fc *fileContext) dimRule(c *change) {
	a, b := dim3Of(c.old.toks), dim3Of(c.new.toks)
	if a == nil || b == nil || equalTokens(a, b) || fc.sameValue(a, b) {
		return
	}
	e := c.hint("launch_config", 2, "a dim3 of the launch changed")
	if d := diffTokens(a, b); onlyNumbers(d.gone) && onlyNumbers(d.came) {
		e.level = 3
	}
	i := slices.IndexFunc(c.new.toks, func(t token) bool { return t.kind == tokIdent && groupName.MatchString(t.text) })
	if i >= 0 && !hasAnyOf(c.new.toks[i].text, "blocks", "grid") {
		e.pattern = "num_warps"
	}
	fc.emit(e)
}

// groupName is the name of a variable that holds the size of workgroups.
var groupName = rx(`(?i)block|thread|^tpb$`)

func dim3Of(ts []token) []token {
	for i := range ts {
		if ts[i].text == "dim3" {
			for j := i; j < len(ts); j++ {
				if ts[j].text == "(" || ts[j].text == "{" {
					return ts[j+1 : closing(ts, j)]
				}
			}
		}
	}
	return nil
}
