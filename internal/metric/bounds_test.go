package metric

import (
	"runtime"
	"strings"
	"testing"
)

// TestBoundedMemory reads outputs that have no end worth keeping and checks
// that little of them stays in memory.
func TestBoundedMemory(t *testing.T) {
	tests := []struct {
		why, text, spec string
		size            int64
		limit           uint64 // bytes that live after the scan
	}{
		{"a redrawn line without end", " 45% | 45/100 [00:10, 4.5it/s] loss 2.31\r", "name:it/s", 4 << 20, 8 << 20},
		{"one line of noise", "x1 y2.5 z=3,", "regex:z=(3)", 1 << 17, 8 << 20},
		{"brackets that never close", "[", "json:a", 4 << 20, 8 << 20},
		{"braces that never close", "{\"a\":\n", "name:a", 4 << 20, 8 << 20},
		{"a table without end", "a | b | c\n1 | 2 | 3\n", "csv:b", 4 << 20, 24 << 20},
		{"quotes", "\"a\",\"b\n", "auto", 1 << 20, 8 << 20},
		{"escapes", "\x1b[\x1b]", "auto", 1 << 18, 8 << 20},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			s, err := Parse(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			out := repeatedOutput(tt.text, tt.size)
			_, err = s.Extract(out)
			if live := liveBytes(); live > tt.limit {
				t.Errorf("%d bytes live after %d bytes of output (%v)", live, tt.size, err)
			}
		})
	}
}

func liveBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestManyLabels checks that a flood of labels neither fills memory nor hides
// the one that is asked for.
func TestManyLabels(t *testing.T) {
	var b strings.Builder
	for i := range 3 * maxLabels {
		b.WriteString("zz")
		for n := i; n > 0; n /= 10 {
			b.WriteByte('a' + byte(n%10))
		}
		b.WriteString(" = 5 ms\n")
	}
	b.WriteString("Latency: 7 ms\n")
	out := Text(b.String(), "")
	v, err := nameSpec("Latency").Extract(out)
	if err != nil || v.Value != 7e-3 {
		t.Errorf("late label: %+v, %v", v, err)
	}
	n := Numbers(out)
	if len(n) != MaxNumbers || n[len(n)-1].Dropped != 3*maxLabels+1-MaxNumbers {
		t.Errorf("%d numbers, %d dropped", len(n), n[len(n)-1].Dropped)
	}
}

func TestNumbersAnswerAnotherMetric(t *testing.T) {
	out := Text("a: 1 ms\nb: 3 GB/s\na: 3 ms\n", "")
	n := Numbers(out)
	for _, text := range []string{"name:a", "name:a@max", "name:a@median", "name:a@geomean", "name:a@mean", "name:a@first", "name:b@min"} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Extract(out)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := s.FromNumbers(n)
		if !ok || got.Value != want.Value || got.Unit != want.Unit || got.Better != want.Better {
			t.Errorf("%s: %+v, %v; want %+v", text, got, ok, want)
		}
	}
	if _, ok := nameSpec("c").FromNumbers(n); ok {
		t.Error("a label that was not there is answered")
	}
}
