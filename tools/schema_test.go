package tools

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"perfbisect/internal/app"
	"perfbisect/prompts"
)

// budgetBytes is what the names, descriptions and input schemas of all tools
// may take together. It stands for 2,000 tokens (testdata/node counts them): a
// token of this text has a little more than four bytes. Every client pays for
// every word in every conversation, so raise it only for a reason.
const budgetBytes = 8100

// definitions lists the tools of a server as they are, in their order.
func definitions(t *testing.T, readOnly bool) []mcp.Tool {
	t.Helper()
	s := New(newFake(), Options{Version: "test", ReadOnly: readOnly})
	t.Cleanup(s.Close)
	var list []mcp.Tool
	for _, tool := range s.all() {
		list = append(list, tool.Tool)
	}
	return list
}

// TestDefinitions keeps every tool's JSON in testdata/schema. The diff of those
// files is the review of a change to what models see.
func TestDefinitions(t *testing.T) {
	for _, mode := range []struct {
		dir      string
		readOnly bool
	}{{"testdata/schema", false}, {"testdata/schema/readonly", true}} {
		var want []string
		for _, d := range definitions(t, mode.readOnly) {
			want = append(want, d.Name+".json")
			golden(t, filepath.Join(mode.dir, d.Name+".json"), indented(t, d))
		}
		have, err := filepath.Glob(filepath.Join(mode.dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range have {
			if !slices.Contains(want, filepath.Base(file)) {
				t.Errorf("%s is no tool any more; remove it", file)
			}
		}
	}
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), '\n')
}

// golden compares got with a file, or rewrites the file with -update.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got), rewrite with -update:\n%s", file, d)
	}
}

// TestToolRules checks what some client drops, refuses or misreads.
func TestToolRules(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	for _, d := range append(definitions(t, false), definitions(t, true)...) {
		t.Run(d.Name, func(t *testing.T) {
			if !name.MatchString(d.Name) {
				t.Errorf("name %q: some client changes it", d.Name)
			}
			if n := len(d.Description); n == 0 || n > 600 {
				t.Errorf("description has %d characters, must be in [1, 600]", n)
			}
			a := d.Annotations
			for hint, p := range map[string]*bool{"readOnly": a.ReadOnlyHint, "destructive": a.DestructiveHint, "idempotent": a.IdempotentHint, "openWorld": a.OpenWorldHint} {
				if p == nil {
					t.Errorf("hint %s is not set: clients assume the worst", hint)
				}
			}
			if *a.DestructiveHint || *a.OpenWorldHint {
				t.Error("destructive or open-world: codex exec refuses to call it")
			}
			checkInput(t, d.RawInputSchema)
			var out struct{ Type string }
			if err := json.Unmarshal(d.RawOutputSchema, &out); err != nil || out.Type != "object" {
				t.Errorf("output schema has type %q (%v): the TypeScript SDK drops the whole list", out.Type, err)
			}
			if bytes.Contains(d.RawOutputSchema, []byte(`"$ref"`)) {
				t.Error("output schema has a $ref")
			}
		})
	}
}

func checkInput(t *testing.T, schema []byte) {
	t.Helper()
	var s struct {
		Type       string
		Properties map[string]map[string]any
		Required   []string
	}
	if err := json.Unmarshal(schema, &s); err != nil || s.Type != "object" {
		t.Fatalf("input schema: type %q, %v", s.Type, err)
	}
	for _, key := range []string{"$ref", "$defs", "oneOf", "anyOf", "allOf"} {
		if bytes.Contains(schema, []byte(`"`+key+`":`)) {
			t.Errorf("input schema has %s", key)
		}
	}
	for name, p := range s.Properties {
		if contains(pythonKeywords, name) {
			t.Errorf("argument %s is a keyword of Python: agents that write code call tools as functions of named arguments", name)
		}
		for _, key := range sortedKeys(p) {
			if !contains([]string{"type", "description", "enum", "items"}, key) {
				t.Errorf("argument %s has the keyword %s, which some client drops", name, key)
			}
		}
		if kind, ok := p["type"].(string); !ok || kind == "object" {
			t.Errorf("argument %s has type %v, must be one flat type", name, p["type"])
		}
		if d, _ := p["description"].(string); d == "" {
			t.Errorf("argument %s has no description", name)
		}
	}
	for _, name := range s.Required {
		if s.Properties[name] == nil {
			t.Errorf("required argument %s does not exist", name)
		}
	}
}

var pythonKeywords = strings.Fields("and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield None True False")

// TestBudget holds the tool list to its size. Its sum is what a client without
// deferred tools sends to the model with every request.
func TestBudget(t *testing.T) {
	total := 0
	for _, d := range definitions(t, false) {
		total += len(d.Name) + len(d.Description) + len(d.RawInputSchema)
	}
	t.Logf("%d bytes in %d tools", total, len(definitions(t, false)))
	if total > budgetBytes {
		t.Errorf("the tools take %d bytes, the budget is %d", total, budgetBytes)
	}
	for _, text := range []string{prompts.Instructions(), prompts.ReadOnlyInstructions()} {
		if n := len(text); n == 0 || n > 1000 {
			t.Errorf("instructions have %d characters, must be in [1, 1000]: %.40s", n, text)
		}
	}
}

// TestReadOnlyTools checks that a read-only server has no tool, and no argument
// of a tool, that can run a command or write a file.
func TestReadOnlyTools(t *testing.T) {
	var names []string
	for _, d := range definitions(t, true) {
		names = append(names, d.Name)
		if !*d.Annotations.ReadOnlyHint {
			t.Errorf("%s is not marked read-only", d.Name)
		}
		for _, word := range []string{"_cmd", "command", "save_to", "options"} {
			if bytes.Contains(d.RawInputSchema, []byte(word)) {
				t.Errorf("%s still takes %s", d.Name, word)
			}
		}
	}
	want := []string{"bisect_status", "bisect_report", "isa_summarize", "isa_diff", "diff_hints"}
	if d := cmp.Diff(want, names); d != "" {
		t.Errorf("read-only tools (-want +got):\n%s", d)
	}
}

// TestStartArgumentsAreSettings checks that an argument of bisect_start has the
// name that spec.json and the options list use.
func TestStartArgumentsAreSettings(t *testing.T) {
	known := map[string]bool{"options": true}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[app.Spec]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[name] = true
	}
	for _, f := range fieldsOf(reflect.TypeFor[startArgs]()) {
		if !known[f.name] {
			t.Errorf("argument %s is no setting of a hunt", f.name)
		}
		if f.name == "options" {
			continue
		}
		spec := app.DefaultSpec()
		if err := setOption(&spec, app.UseSearch, f.name, "1", true); err != nil && strings.Contains(err.Error(), "unknown option") {
			t.Errorf("options do not take %s: %v", f.name, err)
		}
	}
}
