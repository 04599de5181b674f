package metric

import "testing"

func TestLastRedraw(t *testing.T) {
	for _, c := range []struct{ in, want, why string }{
		{"10 %\r55 %\r100 %", "100 %", "each redraw covers the one before"},
		{"copying\rlatency: 5 ms", "latency: 5 ms", "the last part stands"},
		{"rate 120.5 MB/s, 4 left\rlatency: 5 ms", "latency: 5 ms", "a shorter part with words is a line of its own"},
		{"|-speed 602.4 MB/s\r 1#", " 1#peed 602.4 MB/s", "a mark overwrites the beginning only"},
		{"a 1 ms\r\r", "a 1 ms", "nothing is drawn over it"},
		{"\r", "", "nothing at all"},
	} {
		if got := string(lastRedraw([]byte(c.in))); got != c.want {
			t.Errorf("lastRedraw(%q) = %q, want %q: %s", c.in, got, c.want, c.why)
		}
	}
}
