package hints

import "strings"

// streamIndexRule finds work that was spread over streams and is no longer.
func (fc *fileContext) streamIndexRule(c *change) {
	if len(c.came) != 1 || len(c.gone) == 0 {
		return
	}
	is := c.came[0]
	wasStream := len(c.gone) == 1 && isStream(c.gone[0])
	switch {
	case wasStream && isStream(is) && strings.Contains(c.new.text, "Async"):
		fc.emit(c.hint("stream", 2, "the work goes to another stream"))
	case wasStream && (is.text == "0" || is.text == "nullptr" || is.text == "NULL") && isArgument(c.new.toks, is):
		fc.emit(c.hint("stream", 3, "the work goes to the default stream"))
	case is.kind == tokNumber && isStreamIndex(c.new.toks, is):
		fc.emit(c.hint("stream", 3, "all work goes to one of several streams"))
	}
}

func isStream(t token) bool { return t.kind == tokIdent && hasAnyOf(t.text, "stream") }

// isStreamIndex tells whether a token is the index of an array of streams.
func isStreamIndex(ts []token, t token) bool {
	for i := 2; i < len(ts); i++ {
		if ts[i] == t && ts[i-1].text == "[" && hasAnyOf(ts[i-2].text, "stream") {
			return true
		}
	}
	return false
}
