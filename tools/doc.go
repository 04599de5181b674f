// Package tools is what an agent can ask perfbisect: twelve MCP tools, three
// prompts and the resources of a run, over stdio, streamable HTTP and SSE.
//
// A tool is one file: arguments, result, handler. To add one, write that file,
// name it in all, run the tests with -update and read the diff of
// testdata/schema: every client pays for every word of every tool, so the
// tests hold the whole list to a budget.
//
// The package only translates. It never runs a command, opens a repository or
// reads a clock to decide anything: internal/app does. It never writes to
// standard output except protocol messages, never lets a request's end reach a
// run, and never uses mcp-go's task feature, which cancels a handler's context
// as soon as the task is created (v1.2.1).
package tools
