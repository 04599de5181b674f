package tools

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"

	"perfbisect/internal/app"
)

// listedRuns is how many runs the resource list shows.
const listedRuns = 20

// Logs is what an app.Service may have besides: the output of a run's commands.
type Logs interface {
	// Log writes the end of the run's log to w: at most tail lines, all when
	// tail is 0.
	Log(ctx context.Context, id string, tail int, w io.Writer) error
}

// addResources registers what can be read of a run. Which runs there are is
// asked for each list: see listResources.
func (s *Server) addResources() {
	s.mcp.AddResourceTemplate(
		mcp.NewResourceTemplate("run://{id}/report{?format}", "Report of a run",
			mcp.WithTemplateDescription("format: text (default), markdown or json"), mcp.WithTemplateMIMEType("text/plain")),
		s.readReport)
	s.mcp.AddResourceTemplate(
		mcp.NewResourceTemplate("run://{id}/chart.svg", "Chart of a run",
			mcp.WithTemplateDescription("value of each measured commit"), mcp.WithTemplateMIMEType("image/svg+xml")),
		s.readChart)
	if _, ok := s.svc.(Logs); ok {
		s.mcp.AddResourceTemplate(
			mcp.NewResourceTemplate("run://{id}/log{?tail}", "Log of a run",
				mcp.WithTemplateDescription("output of builds and benchmarks; tail: last N lines"), mcp.WithTemplateMIMEType("text/plain")),
			s.readLog)
	}
}

func (s *Server) readReport(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	format := argument(req, "format")
	if format == "" {
		format = "text"
	}
	mime, ok := map[string]string{"text": "text/plain", "markdown": "text/markdown", "json": "application/json"}[format]
	if !ok {
		return nil, fmt.Errorf("reading %q: format is %q, must be one of: text, markdown, json", req.Params.URI, format)
	}
	return s.read(req, mime, func(w io.Writer) error { return s.svc.Report(ctx, argument(req, "id"), format, "diff", w) })
}

func (s *Server) readChart(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return s.read(req, "image/svg+xml", func(w io.Writer) error { return s.svc.Report(ctx, argument(req, "id"), "svg", "steps", w) })
}

func (s *Server) readLog(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	tail := 0
	if text := argument(req, "tail"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("reading %q: tail is %q, must be a whole number from 1", req.Params.URI, text)
		}
		tail = n
	}
	return s.read(req, "text/plain", func(w io.Writer) error {
		return s.svc.(Logs).Log(ctx, argument(req, "id"), tail, w)
	})
}

// largestResource is how much of a resource one read answers with; a client
// that wants more reads the file.
const largestResource = 4 << 20

func (s *Server) read(req mcp.ReadResourceRequest, mime string, write func(io.Writer) error) ([]mcp.ResourceContents, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return nil, fmt.Errorf("reading %q: %w", req.Params.URI, err)
	}
	if b.Len() > largestResource {
		return nil, fmt.Errorf("reading %q: %d bytes, more than %d; use tail, or the file named by report_path", req.Params.URI, b.Len(), largestResource)
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: mime, Text: b.String()}}, nil
}

// argument is a variable of the matched template; mcp-go hands lists.
func argument(req mcp.ReadResourceRequest, name string) string {
	switch v := req.Params.Arguments[name].(type) {
	case string:
		return v
	case []string:
		if len(v) > 0 {
			if text, err := url.PathUnescape(v[0]); err == nil {
				return text
			}
			return v[0]
		}
	}
	return ""
}

// listResources fills the resource list with the reports of the newest runs.
func (s *Server) listResources(ctx context.Context, _ any, req *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
	runs, err := s.svc.List(ctx)
	if err != nil || req.Params.Cursor != "" {
		return // an empty list is honest: nothing can be read now
	}
	for _, r := range runs[:min(len(runs), listedRuns)] {
		result.Resources = append(result.Resources, runResource(r))
	}
}

func runResource(r app.Brief) mcp.Resource {
	return mcp.NewResource("run://"+r.RunID+"/report", "Run "+r.RunID,
		mcp.WithResourceDescription(fmt.Sprintf("%s: %s", r.State, r.Summary)), mcp.WithMIMEType("text/plain"))
}
