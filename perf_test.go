package main

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkToolsList starts the built program, shakes hands and lists the tools
// over stdio, as a client does when it starts. It reports the time and the peak
// memory of the server.
func BenchmarkToolsList(b *testing.B) {
	program := filepath.Join(b.TempDir(), "perfbisect")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	state := b.TempDir()
	var peak int64
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), program, "serve", "--state-dir", state, "--cache-dir", state)
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		lines := bufio.NewReader(out)
		say(b, in, lines, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
		say(b, in, lines, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
		peak = max(peak, maxRSS(cmd.ProcessState))
	}
	b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
}

func say(b *testing.B, in io.Writer, out *bufio.Reader, line string) {
	b.Helper()
	if _, err := io.WriteString(in, line+"\n"); err != nil {
		b.Fatal(err)
	}
	if _, err := out.ReadBytes('\n'); err != nil {
		b.Fatal(err)
	}
}
