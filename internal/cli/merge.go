package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/tidwall/gjson"

	"perfbisect/tools"
)

// mergeJSON returns text with what snippet, a JSON object, adds to it. Order,
// spacing and all that is there stays; only the path of the program is renewed.
// It refuses what it cannot read, comments included.
func mergeJSON(text, snippet string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return snippet, nil
	}
	var before, ours, got map[string]any
	if err := json.Unmarshal([]byte(text), &before); err != nil {
		return "", fmt.Errorf("it is not plain JSON: %w", err)
	}
	if before == nil {
		return "", errors.New("it is no JSON object")
	}
	if err := json.Unmarshal([]byte(snippet), &ours); err != nil {
		return "", err
	}
	after := overlay(text, "", gjson.Parse(snippet))
	// This is also how a key that is there twice, or of another kind, ends.
	if err := json.Unmarshal([]byte(after), &got); err != nil || !reflect.DeepEqual(got, overlaid(before, ours)) {
		return "", errors.New("it has no place for another server")
	}
	return after, nil
}

// overlay adds the members of ours to the object of text at path, which is ""
// or ends with a dot.
func overlay(text, path string, ours gjson.Result) string {
	ours.ForEach(func(key, value gjson.Result) bool {
		switch old := gjson.Get(text, path+key.Str); {
		case old.IsObject() && value.IsObject():
			text = overlay(text, path+key.Str+".", value)
		case !old.Exists():
			text = addMember(text, path, fmt.Sprintf("%s: %s", key.Raw, value.Raw))
		case key.Str == "command":
			text = text[:old.Index] + value.Raw + text[old.Index+len(old.Raw):]
		}
		return true
	})
	return text
}

// addMember puts a member at the beginning of the object of text at path.
func addMember(text, path, member string) string {
	at, object := strings.Index(text, "{"), gjson.Parse(text)
	if path != "" {
		object = gjson.Get(text, strings.TrimSuffix(path, "."))
		at = object.Index
	}
	outer := "\n" + strings.Repeat("  ", strings.Count(path, "."))
	end := ","
	if len(object.Map()) == 0 {
		end = outer
	}
	return text[:at+1] + outer + "  " + member + end + text[at+1:]
}

// overlaid is overlay on values.
func overlaid(before, ours map[string]any) map[string]any {
	out := maps.Clone(before)
	for key, value := range ours {
		old, there := before[key]
		oldObject, isObject := old.(map[string]any)
		newObject, wantObject := value.(map[string]any)
		switch {
		case isObject && wantObject:
			out[key] = overlaid(oldObject, newObject)
		case !there || key == "command" || wantObject:
			out[key] = value
		}
	}
	return out
}

var (
	// ownTable is the beginning of the TOML table that setup writes.
	ownTable = regexp.MustCompile(`(?m)^\[mcp_servers\.perfbisect\]\ncommand = ".*"\n`)
	// otherTable is any other place where the server may be set up.
	otherTable = regexp.MustCompile(`(?m)mcp_servers.*perfbisect|^\s*["']?perfbisect["']?\s*[.=]`)
	// inlineServers are servers to which no table can be added at the end.
	inlineServers = regexp.MustCompile(`(?m)^\s*["']?mcp_servers["']?\s*[.=]`)
)

// mergeTOML returns text with the table of snippet at its end, or with the new
// path of the program in the table that setup wrote before. A table is complete
// in itself, so text need not be parsed; it is refused where that is not sure.
func mergeTOML(text, snippet string) (string, error) {
	own := ownTable.FindAllStringIndex(text, -1)
	if head := ownTable.FindString(snippet); len(own) == 1 && head != "" {
		return text[:own[0][0]] + head + text[own[0][1]:], nil
	}
	switch {
	case otherTable.MatchString(text):
		return "", fmt.Errorf("it sets up %s already", tools.Name)
	case inlineServers.MatchString(text):
		return "", errors.New("its mcp_servers are not tables of their own")
	case text == "":
		return snippet, nil
	case !strings.HasSuffix(text, "\n"):
		text += "\n"
	}
	return text + "\n" + snippet, nil
}

// replaceFile writes a file in one step, with the rights that it had, or only
// for the user: such files hold keys.
func replaceFile(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(file, []byte(text), 0o600, renameio.WithExistingPermissions())
}
