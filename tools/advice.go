package tools

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"perfbisect/internal/app"
)

// adviceFor is what helps a caller of a tool with these arguments after err,
// beyond what err says.
func (s *Server) adviceFor(req mcp.CallToolRequest, valid []string, err error) string {
	var advice []string
	if contains(valid, "repo") && strings.Contains(err.Error(), "opening repository") {
		advice = append(advice, repoAdvice(req))
	}
	if note := flagNote(err.Error(), valid); note != "" {
		advice = append(advice, note)
	}
	return strings.Join(advice, "\n")
}

// repoAdvice says what repo must be, to one who gave none or a wrong one.
func repoAdvice(req mcp.CallToolRequest) string {
	const want = "Give repo: the absolute path of a folder in a git repository on this machine"
	given, _ := stringOf(req.GetArguments()["repo"])
	here, err := os.Getwd()
	switch {
	case err != nil || strings.HasPrefix(given, "/"):
		return want + "."
	case given == "":
		return fmt.Sprintf("%s. Without it the server's folder is meant, %q.", want, here)
	}
	return fmt.Sprintf("%s. A relative one starts at the server's folder, %q.", want, here)
}

// flagWord is a flag of the command line in a text.
var flagWord = regexp.MustCompile(`--[a-z]+(?:-[a-z]+)*`)

// flagNote translates the flags in a text, which speaks to people at a command
// line, to the arguments valid of a tool; "" when there are none.
func flagNote(text string, valid []string) string {
	var notes []string
	for _, flag := range flagWord.FindAllString(text, -1) {
		if note := argumentFor(flag, valid); note != "" && !contains(notes, note) {
			notes = append(notes, note)
		}
	}
	if notes == nil {
		return ""
	}
	return "Here " + strings.Join(notes, ", ") + "."
}

// argumentFor says as which of the arguments valid a flag is given.
func argumentFor(flag string, valid []string) string {
	name := strings.ReplaceAll(flag[2:], "-", "_")
	for argument, alias := range optionAliases {
		if alias == name && contains(valid, argument) {
			return flag + " is " + argument
		}
	}
	if contains(valid, name) {
		return flag + " is " + name
	}
	for _, o := range app.Options() {
		if contains(valid, optionsArgument) && strings.ReplaceAll(o.Name, "-", "_") == name {
			return fmt.Sprintf("%s goes into options as %s", flag, strconv.Quote(name+"="+cmp.Or(o.Value, "true")))
		}
	}
	return ""
}

// startNames are the arguments of bisect_start, which most advice is about.
var startNames = names(fieldsOf(reflect.TypeFor[startArgs]()))

// elsewhere says of a text that names tools which a read-only server has not
// where they are; "" when all are here.
func (s *Server) elsewhere(text string) string {
	if !s.opt.ReadOnly {
		return ""
	}
	for _, name := range writing {
		if strings.Contains(text, name) {
			return " This server is read-only: what starts, changes or answers a run is done by a server without --read-only, or at the command line (perfbisect --help)."
		}
	}
	return ""
}

// writing are the tools that a read-only server leaves out.
var writing = []string{"bisect_start", "bisect_step", "bisect_mark", "bisect_answer", "bisect_stop", "baseline_measure", "metric_preview"}
