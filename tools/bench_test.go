package tools

import (
	"io"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// BenchmarkList is from nothing to the answer of tools/list. Its peer, the bare
// library with twelve empty tools, shows what our definitions add.
func BenchmarkList(b *testing.B) {
	list := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			s := New(newFake(), Options{Version: "bench", Log: io.Discard})
			s.mcp.HandleMessage(b.Context(), list)
			s.Close()
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			s := server.NewMCPServer("bare", "bench", server.WithToolCapabilities(false))
			for i := range 12 {
				s.AddTool(mcp.NewTool("tool_"+string(rune('a'+i))), nil)
			}
			s.HandleMessage(b.Context(), list)
		}
	})
}

// BenchmarkCall is one bisect_status without waiting; its peer is a bare tool
// that returns the same object.
func BenchmarkCall(b *testing.B) {
	f := newFake()
	s := New(f, Options{Version: "bench", Log: io.Discard})
	defer s.Close()
	s.mcp.HandleMessage(b.Context(), []byte(call(1, "bisect_start", `{"bench_cmd":"b"}`)))
	status := []byte(call(1, "bisect_status", `{"run_id":"r1","wait_s":0}`))
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			s.mcp.HandleMessage(b.Context(), status)
		}
	})
	bare := server.NewMCPServer("bare", "bench", server.WithToolCapabilities(false))
	r := runOf(f.status(f.runs["r1"]))
	bare.AddTool(mcp.NewTool("bisect_status"), says(mcp.NewTextContent(r.text())))
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			bare.HandleMessage(b.Context(), status)
		}
	})
}
