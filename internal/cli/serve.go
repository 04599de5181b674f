package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"perfbisect/internal/app"
	"perfbisect/prompts"
	"perfbisect/tools"
)

type serveOptions struct {
	transport, addr, tokenFile string
	origins, hosts             []string
	readOnly, instructions     bool
}

func (c *command) serveCmd() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve MCP to agents, on stdio or HTTP", Args: takes(0, "no argument"),
		Long: `Serves the tools to an MCP client. On stdio the client starts this command. On
HTTP a bearer token is always required; SSE is deprecated by the protocol.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.instructions {
				text := prompts.Instructions()
				if o.readOnly {
					text = prompts.ReadOnlyInstructions()
				}
				fmt.Fprintln(c.Stdout, text)
				return nil
			}
			for _, name := range []string{"addr", "token-file", "allow-origin", "allow-host"} {
				if o.transport == "stdio" && cmd.Flags().Changed(name) {
					return usage("--%s has no effect on stdio: it is for --transport http and sse", name)
				}
			}
			return c.serve(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.transport, "transport", "stdio", "stdio, http or sse")
	f.StringVar(&o.addr, "addr", tools.DefaultAddr, "where http and sse listen")
	f.StringVar(&o.tokenFile, "token-file", "", "bearer token for http and sse; made if it does not exist (default: mcp-token in the state folder)")
	f.StringSliceVar(&o.origins, "allow-origin", nil, "web `ORIGIN` that may call over http and sse (repeatable)")
	f.StringSliceVar(&o.hosts, "allow-host", nil, "`HOST` name that may be asked for over http and sse, besides this machine (repeatable)")
	f.StringArrayVar(&c.allowRoots, "allow-root", nil, "`DIR` below which repositories must lie (repeatable)")
	f.BoolVar(&o.readOnly, "read-only", false, "leave out every tool that runs a command")
	placeholders(f, map[string]string{"transport": "KIND", "addr": "HOST:PORT", "token-file": "FILE"})
	f.BoolVar(&o.instructions, "instructions", false, "print what the server tells models, and end")
	return cmd
}

func (c *command) serve(ctx context.Context, o serveOptions) error {
	return c.with(func(a *app.App) error {
		s := tools.New(a, tools.Options{Version: c.Version, ReadOnly: o.readOnly, Log: c.Stderr})
		defer s.Close()
		switch o.transport {
		case "stdio":
			return tools.ServeStdio(ctx, s, c.Stdin, c.Stdout)
		case "http", "sse":
			if o.tokenFile == "" {
				o.tokenFile = filepath.Join(a.StateDir(), "mcp-token")
			}
			return tools.ServeHTTP(ctx, s, tools.HTTPOptions{
				Transport: o.transport, Addr: o.addr, TokenFile: o.tokenFile, AllowOrigins: o.origins, AllowHosts: o.hosts,
			})
		}
		return usage("transport is %q, must be one of: stdio, http, sse", o.transport)
	})
}
