package tools

import (
	"strings"
	"testing"
	"time"

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

// TestOneSidedKernelSaysSo: a kernel on one side only has no changes to list.
func TestOneSidedKernelSaysSo(t *testing.T) {
	empty := fakeSnapshot(128)
	empty.Kernels = nil
	for want, d := range map[string]*amdgpu.Diff{
		": only before\n": amdgpu.Compare(fakeSnapshot(128), empty, amdgpu.Options{}),
		": only after\n":  amdgpu.Compare(empty, fakeSnapshot(128), amdgpu.Options{}),
	} {
		if text := isaDiffOf(d).text(); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
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

// TestSavedTo: a file is named as saved only when one was written.
func TestSavedTo(t *testing.T) {
	s := &Server{svc: &fake{}, jobs: jobs{life: t.Context()}, opt: Options{MaxWait: time.Minute}}
	for path, want := range map[string]string{"/full": "s.json", "/empty": ""} {
		r, err := summarizeISA(t.Context(), s, isaSummarizeArgs{isaPathArgs{path}, "s.json"})
		if err != nil || r.SavedTo != want || strings.Contains(r.Summary, "Nothing was saved") != (want == "") {
			t.Errorf("%s: %+v, %v", path, r, err)
		}
	}
}
