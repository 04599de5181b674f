package hints

import (
	"strings"
	"testing"
)

// TestFlagWords: a changed flag is worded as what it was and what it is.
func TestFlagWords(t *testing.T) {
	for _, tt := range []struct{ why, old, new, want string }{
		{"a level", "-O3", "-O2", "flags: -O3 -> -O2"},
		{"gone", "-O3 -ffast-math", "-O3", "flags: removed -ffast-math"},
		{"new", "-O3", "-O3 -g", "flags: added -g"},
		{"the opposite", "-funroll-loops", "-fno-unroll-loops", "flags: -funroll-loops -> -fno-unroll-loops"},
		{"the opposite, back", "-mno-unsafe-fp-atomics", "-munsafe-fp-atomics", "flags: -mno-unsafe-fp-atomics -> -munsafe-fp-atomics"},
		{"a value", "-ffp-contract=fast", "-ffp-contract=off", "flags: -ffp-contract=fast -> -ffp-contract=off"},
		{"a value that is no longer given", "-amdgpu-waves=4", "-amdgpu-waves", "flags: -amdgpu-waves=4 -> -amdgpu-waves"},
		{"flags of different kinds do not replace each other", "-ffast-math", "-g", "flags: removed -ffast-math; added -g"},
		{"debug information", "-g3", "-g", "flags: -g3 -> -g"},
		{"-g is no kind of -greedy", "-greedy-reverse-local-assignment", "-g", "flags: removed -greedy-reverse-local-assignment; added -g"},
		{"two of a kind for one", "-march=a -march=b", "-march=c", "flags: removed -march=a, -march=b; added -march=c"},
		{"all at once", "-O3 -ffast-math", "-O2 -g -DNDEBUG", "flags: -O3 -> -O2; removed -ffast-math; added -DNDEBUG, -g"},
	} {
		text := ""
		for _, h := range fromLines(t, "build.sh", "", "-hipcc "+tt.old+" k.hip\n+hipcc "+tt.new+" k.hip", Options{}).Hints {
			text += h.Reason + "\n"
		}
		if !strings.HasPrefix(text, tt.want+"\n") && !strings.HasPrefix(text, tt.want+";") || strings.Contains(text, "+-") || strings.Contains(text, "--") {
			t.Errorf("%s: %q, want %q", tt.why, text, tt.want)
		}
	}
}
