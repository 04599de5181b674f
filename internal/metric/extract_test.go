package metric

import (
	"errors"
	"strings"
	"testing"
)

// TestExtractText holds cases too small for a file. The expectations are as in
// testdata/output.
func TestExtractText(t *testing.T) {
	tests := []struct {
		why, text, spec, want string
	}{
		{"a pick over several matches", "x: 1 ms\nx: 4 ms\nx: 2 ms\n", "name:x@geomean", "2e-3 s lower"},
		{"median of an even number", "x: 1 ms\nx: 4 ms\n", "name:x@median", "2.5e-3 s lower"},
		{"units that change scale within a run", "x: 900 us\nx: 1.1 ms\n", "name:x@mean", "1e-3 s lower"},
		{"CRLF", "x: 1 ms\r\ny: 2 ms\r\n", "name:x", "1e-3 s lower"},
		{"last redraw", "x: 1 ms\rx: 2 ms\rx: 3 ms\n", "name:x@first", "3e-3 s lower"},
		{"a redraw that clears the line", "x: 1 ms\r          \r", "name:x", "1e-3 s lower"},
		{"backspaces", "x: 1\b2 ms", "name:x", "2e-3 s lower"},
		{"UTF-16 as bytes", "x\x00:\x00 \x005\x00 \x00s\x00\n", "name:x", "5 s lower"},
		{"invalid UTF-8", "caf\xe9: 5 ms\n", "name:caf", "5e-3 s lower"},
		{"OSC link", "\x1b]8;;http://a\x1b\\x\x1b]8;;\x1b\\: 5 ms\n", "name:x", "5e-3 s lower"},
		{"no end of line", "x: 5 ms", "name:x", "5e-3 s lower"},
		{"nan is no value", "x: nan ms\n", "name:x", "none"},
		{"one nan among values is refused", "x: 1 ms\nx: nan\nx: 2 ms\n", "name:x", "none"},
		{"inf", "speedup = inf\n", "auto", "none"},
		{"nan beside a lesser number", "Latency: nan ms\nsetup: 3 ms\n", "auto", "none"},
		{"out of range of float64", "x: 1e999 s\n", "name:x", "none"},
		{"NaN in JSON", `{"t": NaN, "u": 2}`, "json:t", "none"},
		{"beside NaN in JSON", `{"t": NaN, "u": 2}`, "json:u", "2 - -"},
		{"null", `{"t": null}`, "json:t", "none"},
		{"string with unit in JSON", `{"t": "1.5 ms"}`, "json:t", "1.5e-3 s lower"},
		{"unit key in JSON", `{"value": 3, "unit": "us", "name": "k"}`, "json:value", "3e-6 s lower"},
		{"the last of several documents", "{\"t\": 1}\nfoo\n{\n \"t\": 2\n}\n", "json:t", "2 - -"},
		{"an array of numbers", "[1.5, 2.5]\n", "json:@this@max", "2.5 - -"},
		{"text that begins like JSON", "{\"a\": 1\nLatency: 5 ms\n", "name:Latency", "5e-3 s lower"},
		{"thousands with a point", "zeit: 1.234,5 ms\n", "name:zeit", "1.2345 s lower"},
		{"decimal comma", "Latenz: 1,43 ms\n", "name:Latenz", "1.43e-3 s lower"},
		{"ambiguous comma groups", "x: 1,234 ms\n", "name:x", "1.234 s lower"},
		{"apostrophes", "x: 1'234'567 ns\n", "name:x", "1234567e-9 s lower"},
		{"narrow spaces", "x: 1\u202f234 ms\n", "name:x", "1.234 s lower"},
		{"minutes and hours", "took 1h 2m 3.5s\n", "name:took", "3723.5 s lower"},
		{"Greek mu", "x: 5 μs\n", "name:x", "5e-6 s lower"},
		{"a number and its unit in the label", "bw [GB/s] = 3\n", "name:bw", "3e9 B/s higher"},
		{"binary prefix", "bw: 2 GiB/s\n", "name:bw", "2147483648 B/s higher"},
		{"bits", "bw: 2 Gbit/s\n", "name:bw", "2e9 bit/s higher"},
		{"energy", "used 12 mJ\n", "name:used", "0.012 J lower"},
		{"GPU clock", "sclk: 2100 MHz\n", "name:sclk", "2.1e9 Hz -"},
		{"regex cuts a number", "x: 1,234 ms\n", `regex:x: (\d+)`, "none"},
		{"regex finds text", "x: fast\n", `regex:x: (\w+)`, "none"},
		{"regex with a unit in the group", "x: 5 ms\n", `regex:x: (.*)`, "5e-3 s lower"},
		{"a quoted number with separators", "a,b\nx,\"1,234\"\n", "csv:b", "1234 - -"},
		{"where on numbers", "m,us\n1.0,5\n2.0,6\n", "csv:us;where m=1", "5e-6 s lower"},
		{"nothing at all", "", "auto", "none"},
		{"a bare number", "1.25\n", "name:value", "1.25 - -"},
		{"a bare number has no direction", "1.25\n", "auto", "ask"},
		{"a version, a date, an address and a hash", "v 1.2.3 2026-11-30 10:11:12 10.0.0.1 3fa4b2c9 0x7fff12\n", "auto", "none"},
		{"two phases", "prefill: 5 ms\ndecode: 6 ms\n", "auto", "ask"},
		{"time and rate of one thing", "fwd: 5 ms, 3 TFLOPS\n", "auto", "5e-3 s lower"},
		{"shapes", "m=1 t=5 us\nm=2 t=6 us\n", "auto", "ask"},
		{"one label, several units: the first keeps it", "x: 1 s\nx / W: 2 B/s\nx: 3 W\nx: 4 W\n", "name:x", "1 s lower"},
		{"and the others are told apart by theirs", "x: 1 s\nx: 3 GB/s\n", "name:x / B/s", "3e9 B/s higher"},
		{"one label under two headings", "=== fp16 ===\nLatency: 5 ms\n=== bf16 ===\nLatency: 6 ms\n", "auto", "ask"},
		{"a heading that only counts", "=== run 1 ===\nLatency: 5 ms\n=== run 2 ===\nLatency: 6 ms\n", "auto", "6e-3 s lower"},
		{"a heading of one of several runs", "Running benchmark 1 of 2\nLatency: 5 ms\nRunning benchmark 2 of 2\nLatency: 6 ms\n", "auto", "6e-3 s lower"},
		{"one label for two kernels", "kernel: copy\ntime: 5 us\nkernel: triad\ntime: 6 us\n", "auto", "ask"},
		{"a measurement is no heading", "kernel: 5 us\nkernel: 6 us\n", "auto", "6e-6 s lower"},
		{"documents of different parameters", `{"n": 1, "ms": 5}` + "\n" + `{"n": 2, "ms": 6}`, "auto", "ask"},
		{"documents of one counter", `{"iter": 1, "ms": 5}` + "\n" + `{"iter": 2, "ms": 6}`, "auto", "6e-3 s lower"},
		{"a time since 1970 is no duration", "start_ms: 1690000000000\n", "auto", "ask"},
		{"a row of samples", "time: 1.2 1.1 1.3 ms\n", "name:time@median", "1.2e-3 s lower"},
		{"a row of statistics is none", "min avg max: 1.2 1.3 1.4 ms\n", "name:min avg max", "1.4e-3 s lower"},
		{"sizes before a time are no samples", "copy 64 128 1.5 ms\n", "name:copy@first", "1.5e-3 s lower"},
		{"a unit before a slash that ends it", "tm 5us/ 2.5ms\n", "name:tm", "5e-6 s lower"},
		{"a slash alone is no unit", "step 5/  10 time 3 ms\n", "name:time", "3e-3 s lower"},
		{"an address names no row", "ptr,us\n0x7f00aa,5\n0x7f00bb,6\n", "name:us", "6e-6 s lower"},
		{"a unit in brackets behind the number", "Elapsed time = 12.30 (s)\n", "name:Elapsed time", "12.3 s lower"},
		{"a unit in brackets before a label", "i: 1 (GB/s) perf 24.5\n", "name:i", "1 - -"},
		{"a time that is announced", "Running for 10 s\nresult: 5 GFLOPS\n", "auto", "5e9 FLOP/s higher"},
		{"pairs after a progress", "50%  done: 16 (13 GFLOPS)  errors: 0\n", "name:errors", "0 - lower"},
		{"a column of dates names no row", "when,n,us\n2026-11-30T10:00:00Z,1,5\n2026-11-30T10:00:01Z,2,6\n", "auto", "ask"},
		{"the same word many times", "ok\nok\nok\nx: 5 ms\nok\nok\n", "name:x", "5e-3 s lower"},
		{"a header printed twice", "a  b\na  b\n1  2\n", "csv:b", "2 - -"},
		{"a column that counts in uneven steps", "iters,ms\n1,5\n2,6\n4,7\n8,9\n", "auto", "ask"},
		{"a column that counts", "iters,ms\n1,5\n2,6\n3,7\n4,9\n", "auto", "9e-3 s lower"},
		{"a statistic has the unit beside its object", `{"unit": "ms", "latency": {"p50": 1.5}}`, "name:latency / p50", "1.5e-3 s lower"},
		{"also by its path", `{"unit": "ms", "latency": {"p50": 1.5}}`, "json:latency.p50", "1.5e-3 s lower"},
		{"a setting has not", `{"unit": "ms", "config": {"m": 64}}`, "json:config.m", "64 - -"},
		{"the object of a statistic tells the direction", `{"latency": {"p50": 1.5}}`, "json:latency.p50", "1.5 - lower"},
		{"a colon alone", ":\n x: 5 ms\n", "name:x", "5e-3 s lower"},
		{"spaces that group before a decimal comma", "x: 1 234,5 ms\n", "name:x", "1.2345 s lower"},
		{"spaces that separate", "x: 1 234 ms\n", "name:x", "0.234 s lower"},
		{"a number word", "sum: 136.0 billion items/s\n", "auto", "136e9 1/s higher"},
		{"a word that says of what", "copy: 545.1 logical GB/s\n", "name:copy", "545.1e9 B/s higher"},
		{"the name of a row with several columns", "name  us  err\na  5  0\nb  6  0\n", "name:a", "ask"},
		{"a time to wait", "error 98: no kernel\nRetry in 300 s\n", "auto", "ask"},
		{"a counter is no shape", "iter 1 time 5 us\niter 2 time 6 us\n", "auto", "6e-6 s lower"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			checkSpec(t, Text(tt.text, ""), tt.spec, strings.Fields(tt.want))
		})
	}
}

func TestStreams(t *testing.T) {
	tests := []struct{ why, stdout, stderr, spec, want, stream string }{
		{"stdout wins", "Latency: 1 s\n", "Latency: 2 s\n", "auto", "1 s lower", "stdout"},
		{"stderr when stdout is silent", "ok\n", "Latency: 2 s\n", "auto", "2 s lower", "stderr"},
		{"a label that only stderr has", "a: 1 s\n", "b: 2 s\n", "name:b", "2 s lower", "stderr"},
		{"a bad value in stdout is not replaced", "a: nan\n", "a: 2 s\n", "name:a", "none", ""},
		{"nor is it by auto", "Latency: nan\n", "Latency: 2 s\n", "auto", "none", ""},
	}
	for _, tt := range tests {
		out := Text(tt.stdout, tt.stderr)
		checkSpec(t, out, tt.spec, strings.Fields(tt.want))
		s, err := Parse(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := s.Extract(out); err == nil && v.Stream != tt.stream {
			t.Errorf("%s: from %s, want %s", tt.why, v.Stream, tt.stream)
		}
	}
}

func TestTimeAndExit(t *testing.T) {
	v, err := Spec{Kind: KindTime}.Extract(Output{ElapsedS: 1.5})
	if err != nil || v.Value != 1.5 || v.Unit != "s" || v.Better != Lower {
		t.Errorf("time: %+v, %v", v, err)
	}
	for code, want := range map[int]float64{0: 0, 1: 1, 124: 1} {
		v, err := Spec{Kind: KindExit}.Extract(Output{ExitCode: code})
		if err != nil || v.Value != want {
			t.Errorf("exit %d: %+v, %v", code, v, err)
		}
	}
	if _, err := (Spec{Kind: KindExit}).Extract(Output{ExitCode: 125}); !errors.Is(err, ErrSkip) {
		t.Errorf("exit 125: %v", err)
	}
	var no *NoMetricError
	for _, code := range []int{126, 127, 128, 139, -1} {
		if _, err := (Spec{Kind: KindExit}).Extract(Output{ExitCode: code}); !errors.As(err, &no) {
			t.Errorf("exit %d: %v", code, err)
		}
	}
}

func TestNoMetricSaysWhatIsThere(t *testing.T) {
	s, err := Parse("name:kernel latency")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Extract(Text("kernel time: 5 ms\nother: 3\n", ""))
	if err == nil || !strings.Contains(err.Error(), `"kernel time" = 5 ms`) {
		t.Errorf("nearest label: %v", err)
	}
	_, err = s.Extract(Text("Segmentation fault\n", ""))
	if err == nil || !strings.Contains(err.Error(), `stdout ends with "Segmentation fault"`) {
		t.Errorf("tail: %v", err)
	}
}

func TestResolution(t *testing.T) {
	tests := []struct {
		text string
		want float64 // one unit in the last place, in SI
	}{
		{"x: 1.43 ms", 1e-5},
		{"x: 1.430 ms", 1e-6},
		{"x: 373,739 ns", 1e-9},
		{"x: 12 s", 1},
		{"x: 1.5e-3 s", 1e-4},
		{"x: 0m1.234s", 1e-3},
		{"x: 824 GB/s", 1e9},
	}
	for _, tt := range tests {
		s := nameSpec("x")
		v, err := s.Extract(Text(tt.text, ""))
		if err != nil || v.Resolution < tt.want*0.999 || v.Resolution > tt.want*1.001 {
			t.Errorf("%q: resolution %g (%v), want %g", tt.text, v.Resolution, err, tt.want)
		}
	}
}
