package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var forms = map[string]func(io.Writer, *Document) error{"txt": Text, "md": Markdown, "json": JSON, "svg": SVG, "html": HTML}

func render(t rapid.TB, form string, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := forms[form](&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-golden +got), -update rewrites:\n%s", name, diff)
	}
}

// Text of every outcome, every form of two.
func TestGolden(t *testing.T) {
	for name, d := range outcomes() {
		t.Run(name, func(t *testing.T) {
			golden(t, name+".txt", render(t, "txt", d))
			if name != "found" && name != "hostile" {
				return
			}
			for form := range forms {
				golden(t, name+"."+form, render(t, form, d))
			}
		})
	}
}

// A terminal obeys control characters; no report has one.
func TestNoControlCharacters(t *testing.T) {
	for name, d := range outcomes() {
		checkControls(t, name, d)
	}
	rapid.Check(t, func(t *rapid.T) {
		checkControls(t, "drawn", hostileDocument(rapid.String().Draw(t, "text")))
	})
}

func checkControls(t rapid.TB, name string, d *Document) {
	t.Helper()
	for form := range forms {
		for _, r := range render(t, form, d) {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%s.%s has %U", name, form, r)
			}
		}
	}
}

// elements are those that the HTML report is made of.
const elements = "html head meta title style body main section h1 h2 p dl dt dd ul li code pre div table tr th td svg desc rect text line circle path g tbody"

// Nothing from outside becomes an element or an attribute.
func TestHTMLHasOnlyItsOwnElements(t *testing.T) {
	for name, d := range outcomes() {
		checkElements(t, name, d)
	}
	markup := rapid.StringOf(rapid.SampledFrom([]rune("<>&'\"/=`-![] \nascript|*_#@:")))
	rapid.Check(t, func(t *rapid.T) {
		checkElements(t, "drawn", hostileDocument(markup.Draw(t, "text")))
	})
}

func checkElements(t rapid.TB, name string, d *Document) {
	t.Helper()
	allowed := strings.Fields(elements)
	root, err := html.Parse(strings.NewReader(render(t, "html", d)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && !slices.Contains(allowed, n.Data) {
			t.Fatalf("%s: element %q", name, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "href" || a.Key == "src" {
				t.Fatalf("%s: attribute %q", name, a.Key)
			}
		}
	}
}

func TestSVGIsXML(t *testing.T) {
	for name, d := range outcomes() {
		decoder := xml.NewDecoder(strings.NewReader(render(t, "svg", d)))
		for {
			_, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// What a table row says from outside cannot add a cell or end the table.
func TestMarkdownTablesKeepTheirShape(t *testing.T) {
	for name, d := range outcomes() {
		checkTables(t, name, d)
	}
	markup := rapid.StringOf(rapid.SampledFrom([]rune("|`\\*-\n \t~#a")))
	rapid.Check(t, func(t *rapid.T) {
		checkTables(t, "drawn", hostileDocument(markup.Draw(t, "text")))
	})
}

func checkTables(t rapid.TB, name string, d *Document) {
	t.Helper()
	cells, fence := 0, ""
	for l := range strings.Lines(render(t, "md", d)) {
		l = strings.TrimSpace(l)
		switch {
		case fence == "" && strings.HasPrefix(l, "```") && strings.HasSuffix(l, "`text"):
			fence, cells = strings.TrimSuffix(l, "text"), 0
		case fence != "":
			if l == fence {
				fence = ""
			}
		case !strings.HasPrefix(l, "|"):
			cells = 0
		default:
			n := bars(l)
			if cells != 0 && n != cells {
				t.Fatalf("%s: %d bars after rows of %d: %s", name, n, cells, l)
			}
			cells = n
		}
	}
	if fence != "" {
		t.Fatalf("%s: a code block does not end", name)
	}
}

// bars counts the bars of a table row that end a cell: those that no backslash
// stands before (GitHub Flavored Markdown 4.10).
func bars(row string) int {
	n := 0
	for i := range len(row) {
		if row[i] == '|' && (i == 0 || row[i-1] != '\\') {
			n++
		}
	}
	return n
}

func TestJSON(t *testing.T) {
	for name, d := range outcomes() {
		text := render(t, "json", d)
		var back struct {
			Schema int           `json:"schema"`
			Tool   string        `json:"tool"`
			Result engine.Result `json:"result"`
			Files  []FileStat    `json:"files"`
		}
		if err := json.Unmarshal([]byte(text), &back); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if back.Schema != Schema || back.Tool != "perfbisect" || back.Result.Outcome != d.Result.Outcome || len(back.Files) != len(d.Files) {
			t.Errorf("%s: %+v", name, back)
		}
		if strings.Contains(text, "null") {
			t.Errorf("%s: null in\n%s", name, text)
		}
	}
}

func TestSummaryIsThreeSentences(t *testing.T) {
	for name, d := range outcomes() {
		s := Summary(d)
		if name == "hostile" {
			continue // a subject may have points of its own
		}
		if n := strings.Count(s+" ", ". ") - strings.Count(s, "A. Author"); n < 1 || n > 3 || !strings.HasSuffix(s, ".") {
			t.Errorf("%s: %d sentences: %s", name, n, s)
		}
		t.Log(name+":", s)
	}
}

// The difference is a part of its own in every form; the log can be left out.
func TestBriefAndPatch(t *testing.T) {
	d := foundDocument()
	d.Brief, d.Patch = true, "diff --git a/x b/x\n-\tprefetch();\n+\x1b[2J```\n"
	for form := range forms {
		got := render(t, form, d)
		if form != "svg" && !strings.Contains(got, "prefetch();") {
			t.Errorf("%s lacks the difference:\n%s", form, got)
		}
		if strings.Contains(got, "halves what is left") || form == "txt" && strings.Contains(got, "Step 1") {
			t.Errorf("%s has the log", form)
		}
	}
	if len(d.Result.Steps) == 0 {
		t.Error("the document was changed")
	}
}

// A report of a hunt of which nothing is known but how it ended.
func TestEmptyDocuments(t *testing.T) {
	for _, o := range []search.FindingOutcome{
		search.Found, search.FoundAmong, search.NoRegression, search.Swapped, search.GapTooSmall, search.Unstable,
		search.SameCode, search.EnvironmentChanged, search.Undecided, search.Measured, "of_the_future", "",
	} {
		d := &Document{Result: &engine.Result{Outcome: o}}
		for form := range forms {
			if got := render(t, form, d); got == "" || strings.Contains(got, "NaN") {
				t.Errorf("%s.%s: %q", o, form, got)
			}
		}
	}
}

// A reader of a broken pipe hears of it once, and sees no half report.
func TestWriteErrors(t *testing.T) {
	for form, f := range forms {
		if err := f(broken{}, foundDocument()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: %v", form, err)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
