package tools

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"perfbisect/amdgpu"
)

func TestISARow(t *testing.T) {
	d := isaDiffOf(amdgpu.Compare(fakeSnapshot(128), fakeSnapshot(172), amdgpu.Options{}))
	if d.Verdict != "REGRESSION" || len(d.Rows) != 1 {
		t.Fatalf("%+v", d)
	}
	if diff := cmp.Diff([]string{"vgpr 128 -> 172 (+44)"}, d.Rows[0].Changes); diff != "" {
		t.Error(diff)
	}
}

// TestUnreadableIsNotOK: a comparison that could not read something says so in
// its first words.
func TestUnreadableIsNotOK(t *testing.T) {
	broken := fakeSnapshot(128)
	broken.Problems = []amdgpu.Problem{{Class: "truncated", File: "gemm.co", Text: "ends in the middle of a note"}}
	d := isaDiffOf(amdgpu.Compare(broken, fakeSnapshot(128), amdgpu.Options{}))
	if d.Verdict != "NOT TRUSTWORTHY" || len(d.Problems) == 0 {
		t.Errorf("%+v", d)
	}
	s := isaSummaryOf(broken)
	if s.Verdict != "NOT TRUSTWORTHY" || len(s.Problems) != 1 {
		t.Errorf("%+v", s)
	}
}
