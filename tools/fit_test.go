package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"perfbisect/engine"
	"perfbisect/internal/app"
)

func size(t *testing.T, v any) int {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}

func TestFitKeepsWhatFits(t *testing.T) {
	st := newFake().status(&fakeRun{id: "r1", state: engine.Completed})
	r := runOf(st)
	before := size(t, r)
	cut, err := fit(r, before)
	if err != nil || cut != nil || size(t, r) != before {
		t.Errorf("cut %v of a result that fits (%v)", cut, err)
	}
}

func TestFitCutsTheLargest(t *testing.T) {
	st := newFake().status(&fakeRun{id: "r1", state: engine.Completed})
	for range 10 {
		st.Result.Steps = append(st.Result.Steps, st.Result.Steps...)
	}
	shared := st.Result.Steps
	n := len(shared)
	r := runOf(st)
	r.Result = st.Result // with its steps
	cut, err := fit(r, typicalBytes)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{fmt.Sprintf("result.steps had %d items", n)}, cut); d != "" {
		t.Error(d)
	}
	if got := size(t, r); got > typicalBytes || len(r.Result.Steps) < keepItems {
		t.Errorf("%d bytes with %d steps, want at most %d bytes", got, len(r.Result.Steps), typicalBytes)
	}
	if len(st.Result.Steps) != n || r.Result.Culprit != st.Result.Culprit || r.Next == "" {
		t.Error("fit changed what it was not to cut")
	}
}

// TestLongResultsLeaveTheirSteps: of a small result nothing is missing; a larger
// one says where its steps are, and what it shares with others keeps them.
func TestLongResultsLeaveTheirSteps(t *testing.T) {
	st := newFake().status(&fakeRun{id: "r1", state: engine.Completed})
	if r := runOf(st); len(r.Result.Steps) != fakeSteps || r.Shortened != nil {
		t.Errorf("%d steps of a small result, shortened %v", len(r.Result.Steps), r.Shortened)
	}
	for len(st.Result.Steps) < 40 {
		st.Result.Steps = append(st.Result.Steps, st.Result.Steps...)
	}
	n := len(st.Result.Steps)
	r := runOf(st)
	if got := size(t, r); got > leanBytes || r.Result.Steps == nil || len(r.Result.Steps) != 0 || r.Result.Culprit != st.Result.Culprit {
		t.Errorf("%d bytes, %+v", got, r.Result)
	}
	r.shortened([]string{"warnings had 9 items"})
	want := []string{fmt.Sprintf("result.steps had %d items: bisect_report shows them", n), "warnings had 9 items", "all of it: " + st.Report}
	if d := cmp.Diff(want, r.Shortened); d != "" || len(st.Result.Steps) != n {
		t.Error(d)
	}
}

func TestFitKeepsBothEndsOfAText(t *testing.T) {
	r := &report{Summary: "s", Report: "BEGIN " + strings.Repeat("wörter ", 20000) + " END", Resources: []string{"run://r1/report"}, Next: "n"}
	cut, err := fit(r, hardBytes)
	if err != nil || len(cut) != 1 {
		t.Fatal(cut, err)
	}
	if !strings.HasPrefix(r.Report, "BEGIN") || !strings.HasSuffix(r.Report, "END") || !utf8.ValidString(r.Report) {
		t.Errorf("text is %q ... %q", r.Report[:20], r.Report[len(r.Report)-20:])
	}
	if n := size(t, r); n > hardBytes || n < hardBytes/2 {
		t.Errorf("%d bytes, want nearly %d", n, hardBytes)
	}
}

// TestFitEnds: whatever a result holds, fit stops, and stays under the limit
// unless nothing is left to cut.
func TestFitEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &run{Summary: rapid.StringN(0, 3000, -1).Draw(t, "summary"), Next: "n", Warnings: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) warning {
			return warning{Code: "c", Text: rapid.StringN(0, 2000, -1).Draw(t, "text")}
		}), 0, 40).Draw(t, "warnings")}
		if _, err := fit(r, 4000); err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(r)
		if len(text) > 4000 && largest(reflect.ValueOf(r).Elem(), "").size > 0 {
			t.Fatalf("%d bytes left and more to cut", len(text))
		}
	})
}

// TestResultsSurviveFit: fit copies through JSON, so every result must read
// back as what it was.
func TestResultsSurviveFit(t *testing.T) {
	f := newFake()
	st := f.status(&fakeRun{id: "r1", state: engine.Completed})
	sameAfterJSON(t, runOf(st))
	sameAfterJSON(t, &preview{Summary: "s", Chosen: &app.PreviewCandidate{Label: "l", Value: 1}, Candidates: []app.PreviewCandidate{{Label: "l"}}})
	sameAfterJSON(t, &hintList{Hints: []hint{{Where: "f:1"}}})
	sameAfterJSON(t, &isaDiffResult{Rows: []isaRow{{Name: "k", Changes: []string{"vgpr 1 -> 2 (+1)"}}}})
	sameAfterJSON(t, &isaSummary{Kernels: []isaKernel{{Name: "k", Metrics: map[string]string{"vgpr": "1"}}}})
}

func sameAfterJSON[T any](t *testing.T, v *T) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var back T
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(*v, back); d != "" {
		t.Errorf("%T (-before +after):\n%s", v, d)
	}
}
