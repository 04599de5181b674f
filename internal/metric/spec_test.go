package metric

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	tests := []struct {
		text string
		want Spec
		why  string
	}{
		{"", Spec{Kind: KindAuto}, "nothing is auto"},
		{"auto@median", Spec{Kind: KindAuto, Pick: PickMedian}, "auto takes a pick"},
		{"time", Spec{Kind: KindTime}, "wall time"},
		{"exit", Spec{Kind: KindExit}, "as git bisect run"},
		{"regex:a@b", Spec{Kind: KindRegex, Arg: "a@b"}, "an @ that is no pick stays"},
		{"regex:RE@max", Spec{Kind: KindRegex, Arg: "RE", Pick: PickMax}, "a pick goes"},
		{"regex:x@last@first", Spec{Kind: KindRegex, Arg: "x@last", Pick: PickFirst}, "one pick goes"},
		{"json:a.b:c", Spec{Kind: KindJSON, Arg: "a.b:c"}, "later colons belong to the path"},
		{"csv:us", Spec{Kind: KindCSV, Arg: "us"}, "a column alone"},
		{"csv:A;where B=c=d;where E~f@mean", Spec{
			Kind: KindCSV, Arg: "A", Pick: PickMean,
			Where: []Where{{"B", "=", "c=d"}, {"E", "~", "f"}},
		}, "conditions"},
		{"name:MUL_MAT(m=1): x", Spec{Kind: KindName, Arg: "MUL_MAT(m=1): x"}, "labels may hold anything"},
		{"isa:ns::k:vgpr", Spec{Kind: KindISA, Arg: "ns::k:vgpr"}, "the column is last"},
	}
	for _, tt := range tests {
		got, err := Parse(tt.text)
		if err != nil {
			t.Errorf("%s: %q: %v", tt.why, tt.text, err)
			continue
		}
		if d := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(Spec{})); d != "" {
			t.Errorf("%s: %q (-want +got):\n%s", tt.why, tt.text, d)
		}
		if again, err := Parse(got.String()); err != nil || again.String() != got.String() {
			t.Errorf("%s: %q prints as %q: %v", tt.why, tt.text, got.String(), err)
		}
	}
	if k, c := (Spec{Kind: KindISA, Arg: "ns::k:vgpr"}).ISA(); k != "ns::k" || c != "vgpr" {
		t.Errorf("ISA gives %q, %q", k, c)
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"regexp:x", "unknown kind"},
		{"regex:", "nothing after it"},
		{"regex:(", "RE2 syntax"},
		{"regex:(?<=x)1", "look-around"},
		{"csv:;where a=b", "no column"},
		{"csv:a;where b", "not COL=VALUE"},
		{"time:3", "takes no argument"},
		{"exit@max", "no pick"},
		{"isa:k", "a kernel and a column"},
		{"isa:k:vgpr@max", "takes no pick"},
	}
	for _, tt := range tests {
		_, err := Parse(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "name:LABEL") {
			t.Errorf("%q: error %v, want %q and the allowed forms", tt.text, err, tt.want)
		}
	}
}
