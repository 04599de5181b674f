package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// Client calls the tools of a server that it starts on a pipe of its own, as an
// agent's program does. The demo talks to its own binary through one.
type Client struct{ mcp *client.Client }

// Dial starts argv with env added to its environment, and shakes hands.
func Dial(ctx context.Context, argv, env []string, stderr io.Writer) (*Client, error) {
	c, err := client.NewStdioMCPClientWithOptions(argv[0], env, argv[1:], transport.WithCommandStderrWriter(stderr))
	if err != nil {
		return nil, fmt.Errorf("starting %q: %w", argv[0], err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: Name + "-client", Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		return nil, errors.Join(fmt.Errorf("shaking hands with %q: %w", argv[0], err), c.Close())
	}
	return &Client{mcp: c}, nil
}

// Call calls a tool and decodes its structured result into out. A tool that
// reports an error is an error here.
func (c *Client) Call(ctx context.Context, tool string, args map[string]any, out any) error {
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments = tool, args
	result, err := c.mcp.CallTool(ctx, request)
	if err != nil {
		return fmt.Errorf("calling %s: %w", tool, err)
	}
	if result.IsError {
		return fmt.Errorf("calling %s: %s", tool, textOf(result))
	}
	data, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return fmt.Errorf("reading the result of %s: %w", tool, err)
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("reading the result of %s: %w", tool, err)
	}
	return nil
}

// textOf is what a result says to people.
func textOf(r *mcp.CallToolResult) string {
	text := ""
	for _, part := range r.Content {
		if t, ok := part.(mcp.TextContent); ok {
			text += t.Text
		}
	}
	return text
}

// Close ends the server.
func (c *Client) Close() error { return c.mcp.Close() }
