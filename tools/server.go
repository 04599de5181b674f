package tools

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"perfbisect/internal/app"
	"perfbisect/prompts"
)

// Name is the server's name, which clients put before every tool's name.
const Name = "perfbisect"

// Limits of a call that waits. Clients built on the TypeScript SDK give up
// after 60 s whatever they hear meanwhile; Claude Code's idle limit is 30 min.
const (
	defaultMaxWait = 45 * time.Second
	longestMaxWait = 25 * time.Minute
)

// Options say how a Server behaves. The zero value is usable.
type Options struct {
	Version  string
	ReadOnly bool          // leave out every tool that can run a command or write
	MaxWait  time.Duration // longest wait inside one call; 0: [MaxWaitFromEnv]
	Log      io.Writer     // for the server's own troubles; nil: standard error

	validate   bool                  // tests: check every result against its output schema
	stopWithin time.Duration         // tests: instead of hardStop
	more       []server.ServerOption // tests: for the fixtures of the conformance suite
}

// MaxWaitFromEnv is PERFBISECT_MAX_WAIT_S, in seconds, or 45 s when it is unset
// or makes no sense. It may be up to 25 minutes for clients with long limits.
func MaxWaitFromEnv() time.Duration {
	s, err := strconv.ParseFloat(os.Getenv("PERFBISECT_MAX_WAIT_S"), 64)
	d := time.Duration(s * float64(time.Second))
	if err != nil || !(s > 0) || d > longestMaxWait {
		return defaultMaxWait
	}
	return d
}

// Server offers an app.Service to MCP clients. Make one with New, serve it on
// one transport, and Close it.
type Server struct {
	svc  app.Service
	opt  Options
	mcp  *server.MCPServer
	log  *slog.Logger
	life context.Context // of work that a call starts and does not finish
	end  context.CancelFunc
	jobs jobs
	asks declined
	turn chan struct{} // has room for the one call that may start a run
	subs subscriptions
}

// New returns a server for svc. When svc also has the methods of Completer or
// Logs, the prompts complete their arguments and run://{id}/log exists.
func New(svc app.Service, o Options) *Server {
	if o.MaxWait <= 0 {
		o.MaxWait = MaxWaitFromEnv()
	}
	if o.stopWithin == 0 {
		o.stopWithin = hardStop
	}
	if o.Log == nil {
		o.Log = os.Stderr
	}
	s := &Server{svc: svc, opt: o, log: slog.New(slog.NewTextHandler(o.Log, nil))}
	s.life, s.end = context.WithCancel(context.Background())
	s.jobs.life = s.life
	s.turn = make(chan struct{}, 1)
	s.mcp = server.NewMCPServer(Name, o.Version, s.wiring()...)
	for _, t := range s.all() {
		s.mcp.AddTool(t.Tool, t.Handler)
	}
	s.addResources()
	prompts.Register(s.mcp)
	return s
}

// Close ends what the server does by itself: waits, previews and comparisons
// that are still running, and the watching of subscribed runs. Hunts are not
// the server's: closing the app ends them.
func (s *Server) Close() {
	s.end()
	s.jobs.group.Wait()
	s.subs.group.Wait()
}

func (s *Server) wiring() []server.ServerOption {
	complete, instructions := completer{s.svc}, prompts.Instructions()
	if s.opt.ReadOnly {
		instructions = prompts.ReadOnlyInstructions()
	}
	options := []server.ServerOption{
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(true, false),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(complete),
		server.WithResourceCompletionProvider(complete),
		server.WithResourceRecovery(),
		server.WithTitle("perfbisect"),
		server.WithDescription("Finds the commit that made a GPU kernel slow and shows what changed in its machine code"),
		server.WithInstructions(instructions),
		server.WithHooks(s.hooks()),
		server.WithCacheHints(5*60*1000, mcp.CacheScopePublic),
		server.WithMethodCacheHints(mcp.MethodResourcesList, 0, mcp.CacheScopePrivate),
		server.WithMethodCacheHints(mcp.MethodResourcesRead, 0, mcp.CacheScopePrivate),
	}
	if s.opt.validate {
		options = append(options, server.WithOutputSchemaValidation())
	}
	return append(options, s.opt.more...)
}

// all lists the tools this server offers.
func (s *Server) all() []server.ServerTool {
	if s.opt.ReadOnly {
		return []server.ServerTool{
			bisectStatus.bind(s), bisectReport.bind(s), isaSummarizeReadOnly.bind(s), isaDiffReadOnly.bind(s), diffHints.bind(s),
		}
	}
	return []server.ServerTool{
		bisectStart.bind(s), baselineMeasure.bind(s), bisectStep.bind(s), bisectStatus.bind(s), bisectMark.bind(s), bisectAnswer.bind(s),
		bisectStop.bind(s), bisectReport.bind(s), metricPreview.bind(s), isaSummarize.bind(s), isaDiff.bind(s), diffHints.bind(s),
	}
}
