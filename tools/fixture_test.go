package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// The protocol's conformance suite calls tools, prompts and resources of fixed
// names. They are added to a server of ours, so that what is judged is our set
// of options, hooks and transports. Names and texts are the suite's.
//
// Parts follow examples/conformance of mcp-go v1.2.1 (MIT licence).

const (
	fixtureImage = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	fixtureAudio = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

type toolFunc = func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error)

func fixtureOptions() []server.ServerOption {
	return []server.ServerOption{
		server.WithLogging(),
		server.WithToolHandlerMiddleware(func(next server.ToolHandlerFunc) server.ToolHandlerFunc {
			return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				r, err := next(ctx, req)
				flush(ctx) // as our own tools do after their progress
				return r, err
			}
		}),
	}
}

func addFixtures(s *server.MCPServer) {
	s.EnableSampling()
	contentFixtures(s)
	legacyFixtures(s)
	notifyingFixtures(s)
	inputFixtures(s)
	schemaFixtures(s)
	resourceFixtures(s)
	promptFixtures(s)
}

// says is a tool that always answers the same.
func says(content ...mcp.Content) toolFunc {
	return func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func contentFixtures(s *server.MCPServer) {
	embedded := func(uri, mime, text string) mcp.Content {
		return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text})
	}
	for name, f := range map[string]toolFunc{
		"test_simple_text":       says(mcp.NewTextContent("This is a simple text response for testing.")),
		"test_image_content":     says(mcp.NewImageContent(fixtureImage, "image/png")),
		"test_audio_content":     says(mcp.NewAudioContent(fixtureAudio, "audio/wav")),
		"test_embedded_resource": says(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
		"test_multiple_content_types": says(mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(fixtureImage, "image/png"),
			embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		"test_error_handling": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
		},
		"test_missing_capability": says(mcp.NewTextContent("a handler cannot return -32021")),
		"test_logging_tool":       says(mcp.NewTextContent("no log without a level")),
	} {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("conformance fixture")), f)
	}
}

// legacyFixtures ask the client in the middle of a call, as servers did before
// protocol 2026-07-28.
func legacyFixtures(s *server.MCPServer) {
	elicit := func(name string, properties map[string]any, arguments ...mcp.ToolOption) {
		schema := map[string]any{"type": "object", "properties": properties}
		s.AddTool(mcp.NewTool(name, append(arguments, mcp.WithDescription("conformance fixture"))...), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			r, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{
				Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)},
				Params:  mcp.ElicitationParams{Message: req.GetString("message", "Provide your information"), RequestedSchema: schema},
			})
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return mcp.NewToolResultText(fmt.Sprintf("Elicitation completed: action=%s, content=%v", r.Action, r.Content)), nil
		})
	}
	text := map[string]any{"type": "string"}
	titled := func(key string) map[string]any {
		return map[string]any{key: []any{map[string]any{"const": "value1", "title": "Value One"}, map[string]any{"const": "value2", "title": "Value Two"}}}
	}
	one := titled("oneOf")
	one["type"] = "string"
	elicit("test_elicitation", map[string]any{"username": text, "email": text}, mcp.WithString("message", mcp.Description("to show"), mcp.Required()))
	elicit("test_elicitation_sep1034_defaults", map[string]any{
		"name": map[string]any{"type": "string", "default": "John Doe"}, "age": map[string]any{"type": "integer", "default": 30},
		"score": map[string]any{"type": "number", "default": 95.5}, "verified": map[string]any{"type": "boolean", "default": true},
		"status": map[string]any{"type": "string", "enum": []string{"active", "inactive", "pending"}, "default": "active"},
	})
	elicit("test_elicitation_sep1330_enums", map[string]any{
		"untitledSingle": map[string]any{"type": "string", "enum": []string{"option1", "option2"}}, "titledSingle": one,
		"legacyEnum":    map[string]any{"type": "string", "enum": []string{"opt1", "opt2"}, "enumNames": []string{"Option One", "Option Two"}},
		"untitledMulti": map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": []string{"option1", "option2"}}},
		"titledMulti":   map[string]any{"type": "array", "items": titled("anyOf")},
	})
	s.AddTool(mcp.NewTool("test_sampling", mcp.WithDescription("conformance fixture"), mcp.WithString("prompt", mcp.Description("to complete"), mcp.Required())),
		func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			//lint:ignore SA1019 the older revisions of the suite ask for it
			r, err := s.RequestSampling(ctx, mcp.CreateMessageRequest{
				Request: mcp.Request{Method: string(mcp.MethodSamplingCreateMessage)}, CreateMessageParams: sampling(req.GetString("prompt", "")),
			})
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return mcp.NewToolResultText(fmt.Sprintf("LLM response: %v", r.Content)), nil
		})
}

func sampling(prompt string) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(prompt)}}, MaxTokens: 100}
}

func notifyingFixtures(s *server.MCPServer) {
	thrice := func(name, method string, params func(i int, req mcp.CallToolRequest) map[string]any) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("conformance fixture")), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for i := range 3 {
				if p := params(i, req); p != nil {
					if err := s.SendNotificationToClient(ctx, method, p); err != nil {
						return nil, err
					}
				}
				time.Sleep(50 * time.Millisecond) // the suite wants to see them apart
			}
			return mcp.NewToolResultText("done"), nil
		})
	}
	thrice("test_tool_with_logging", string(mcp.MethodNotificationMessage), func(i int, _ mcp.CallToolRequest) map[string]any {
		return map[string]any{"level": "info", "logger": "conformance", "data": []string{"Tool execution started", "Tool processing data", "Tool execution completed"}[i]}
	})
	thrice("test_tool_with_progress", string(mcp.MethodNotificationProgress), func(i int, req mcp.CallToolRequest) map[string]any {
		if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
			return nil
		}
		return map[string]any{"progressToken": req.Params.Meta.ProgressToken, "progress": 50 * i, "total": 100}
	})
}

// form is an elicitation for one field.
func form(message, field, kind string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{field: map[string]any{"type": kind}}, "required": []string{field},
	}}
}

// inputFixtures ask by a multi-round-trip request.
func inputFixtures(s *server.MCPServer) {
	add := func(name string, f func(ctx context.Context, req mcp.CallToolRequest, has func(string) bool) (*mcp.CallToolResult, error)) {
		s.AddTool(mcp.NewTool("test_"+name, mcp.WithDescription("conformance fixture")), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return f(ctx, req, func(id string) bool { _, ok := req.Params.InputResponses[id]; return ok })
		})
	}
	once := func(name, id, state string, ask func(*server.InputRequestBuilder) *server.InputRequestBuilder) {
		add(name, func(_ context.Context, req mcp.CallToolRequest, has func(string) bool) (*mcp.CallToolResult, error) {
			switch {
			case !has(id):
				return ask(server.NewInputRequestBuilder(state)).ToolResult(), nil
			case req.Params.RequestState != state:
				return nil, fmt.Errorf("requestState %q is not ours", req.Params.RequestState)
			}
			return mcp.NewToolResultText("state-ok"), nil
		})
	}
	name := form("What is your name?", "name", "string")
	confirm := form("Please confirm", "ok", "boolean")
	add("input_required_result_elicitation", func(_ context.Context, req mcp.CallToolRequest, _ func(string) bool) (*mcp.CallToolResult, error) {
		if r := server.ElicitationResponse(req.Params.InputResponses, "user_name"); r != nil && r.Action == mcp.ElicitationResponseActionAccept {
			content, _ := r.Content.(map[string]any)
			return mcp.NewToolResultText(fmt.Sprintf("Hello, %v!", content["name"])), nil
		}
		return server.NewInputRequestBuilder("").Elicit("user_name", name).ToolResult(), nil
	})
	once("input_required_result_sampling", "capital_question", "", func(b *server.InputRequestBuilder) *server.InputRequestBuilder {
		return b.Sample("capital_question", sampling("What is the capital of France?"))
	})
	once("input_required_result_list_roots", "client_roots", "", func(b *server.InputRequestBuilder) *server.InputRequestBuilder { return b.Roots("client_roots") })
	for _, n := range []string{"request_state", "tampered_state"} {
		once("input_required_result_"+n, "confirm", "sealed-state", func(b *server.InputRequestBuilder) *server.InputRequestBuilder { return b.Elicit("confirm", confirm) })
	}
	once("streaming_elicitation", "confirm", "s", func(b *server.InputRequestBuilder) *server.InputRequestBuilder { return b.Elicit("confirm", confirm) })
	once("input_required_result_multiple_inputs", "user_name", "s", func(b *server.InputRequestBuilder) *server.InputRequestBuilder {
		return b.Elicit("user_name", name).Sample("greeting", sampling("Generate a greeting")).Roots("client_roots")
	})
	add("input_required_result_multi_round", func(_ context.Context, _ mcp.CallToolRequest, has func(string) bool) (*mcp.CallToolResult, error) {
		switch {
		case has("step2"):
			return mcp.NewToolResultText("done"), nil
		case has("step1"):
			return server.NewInputRequestBuilder("round-2").Elicit("step2", form("Step 2: What is your favorite color?", "color", "string")).ToolResult(), nil
		}
		return server.NewInputRequestBuilder("round-1").Elicit("step1", form("Step 1: What is your name?", "name", "string")).ToolResult(), nil
	})
	add("input_required_result_capabilities", func(ctx context.Context, _ mcp.CallToolRequest, _ func(string) bool) (*mcp.CallToolResult, error) {
		b := server.NewInputRequestBuilder("")
		if caps := server.RequestProtocolInfoFromContext(ctx).ClientCapabilities; caps != nil {
			if caps.Elicitation != nil {
				b.Elicit("user_name", name)
			}
			if caps.Sampling != nil {
				b.Sample("greeting", sampling("Generate a greeting"))
			}
		}
		return b.ToolResult(), nil
	})
}

func schemaFixtures(s *server.MCPServer) {
	s.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`)),
		says(mcp.NewTextContent("ok")))
	s.AddTool(mcp.NewToolWithRawSchema("test_headers", "conformance fixture", json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`)),
		says(mcp.NewTextContent("ok")))
}

func resourceFixtures(s *server.MCPServer) {
	text := func(uri, text string) []mcp.ResourceContents {
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: "text/plain", Text: text}}
	}
	s.AddResource(mcp.NewResource("test://static-text", "static-text", mcp.WithMIMEType("text/plain")), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return text("test://static-text", "This is the content of the static text resource."), nil
	})
	s.AddResource(mcp.NewResource("test://watched-resource", "watched-resource", mcp.WithMIMEType("text/plain")), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return text("test://watched-resource", "watched"), nil
	})
	s.AddResource(mcp.NewResource("test://static-binary", "static-binary", mcp.WithMIMEType("image/png")), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: fixtureImage}}, nil
	})
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateMIMEType("application/json")), func(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)}}, nil
	})
}

func promptFixtures(s *server.MCPServer) {
	add := func(name string, messages func(map[string]string) []mcp.Content, arguments ...string) {
		options := []mcp.PromptOption{mcp.WithPromptDescription("conformance fixture")}
		for _, a := range arguments {
			options = append(options, mcp.WithArgument(a, mcp.ArgumentDescription("test argument"), mcp.RequiredArgument()))
		}
		s.AddPrompt(mcp.NewPrompt(name, options...), func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			r := &mcp.GetPromptResult{}
			for _, c := range messages(req.Params.Arguments) {
				r.Messages = append(r.Messages, mcp.PromptMessage{Role: mcp.RoleUser, Content: c})
			}
			return r, nil
		})
	}
	add("test_simple_prompt", func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewTextContent("This is a simple prompt for testing.")}
	})
	add("test_prompt_with_arguments", func(a map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(a map[string]string) []mcp.Content {
		return []mcp.Content{
			mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}),
			mcp.NewTextContent("Please process the embedded resource above."),
		}
	}, "resourceUri")
	add("test_prompt_with_image", func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewImageContent(fixtureImage, "image/png"), mcp.NewTextContent("Please analyze the image above.")}
	})
	s.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("conformance fixture")), func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if _, ok := req.Params.InputResponses["user_context"]; !ok {
			return server.NewInputRequestBuilder("").Elicit("user_context", form("What context should the prompt use?", "context", "string")).PromptResult(), nil
		}
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent("with context"))}), nil
	})
}
