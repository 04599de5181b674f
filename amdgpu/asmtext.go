package amdgpu

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// checkDecodable says where a text stops being text, or "". Line comments may
// hold anything: for DW_OP_implicit_value LLVM prints each byte of the constant
// raw into one, NUL and 0xff included.
func checkDecodable(data []byte) string {
	if bytes.IndexByte(data, 0) < 0 && utf8.Valid(data) {
		return ""
	}
	inMetadata := false
	for at := 0; at < len(data); {
		end := lineEnd(data, at)
		line := data[at:end]
		switch word := bytes.TrimSpace(line); {
		case has(word, ".amdgpu_metadata"):
			inMetadata = true
		case has(word, ".end_amdgpu_metadata"):
			inMetadata = false
		}
		if !inMetadata {
			line = cutComment(line)
		}
		if what := badByte(line, at); what != "" {
			return what
		}
		at = end + 1
	}
	return ""
}

// badByte names the first byte of a line at offset at that is no text.
func badByte(line []byte, at int) string {
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		switch {
		case r == 0:
			return fmt.Sprintf("NUL byte at offset %d", at+i)
		case r == utf8.RuneError && n <= 1:
			return fmt.Sprintf("byte 0x%02x at offset %d is not UTF-8", line[i], at+i)
		}
		i += n
	}
	return ""
}

// blankComments overwrites /* ... */ with blanks, outside strings, line
// comments and metadata. Lines stay where they are.
func blankComments(out []byte) {
	if !bytes.Contains(out, []byte("/*")) {
		return
	}
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == ';' || c == '/' && i+1 < len(out) && out[i+1] == '/':
			i = lineEnd(out, i)
		case c == '"':
			i = stringEnd(out, i)
		case c == '.' && has(out[i:], ".amdgpu_metadata"):
			if j := bytes.Index(out[i:], []byte(".end_amdgpu_metadata")); j > 0 {
				i += j
			}
		case c == '/' && i+1 < len(out) && out[i+1] == '*':
			end := bytes.Index(out[i+2:], []byte("*/"))
			if end < 0 {
				end = len(out) - i - 4
			}
			for j := i; j < min(i+end+4, len(out)); j++ {
				if out[j] != '\n' {
					out[j] = ' '
				}
			}
		}
	}
}

func lineEnd(b []byte, i int) int {
	if j := bytes.IndexByte(b[i:], '\n'); j >= 0 {
		return i + j
	}
	return len(b)
}

// stringEnd is the closing quote of the string at i, or the line's end.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b) && b[i] != '\n'; i++ {
		if b[i] == '\\' {
			i++
		} else if b[i] == '"' {
			return i
		}
	}
	return i
}

// trimComment cuts a comment and blanks off the end of an operand.
func trimComment(b []byte) []byte { return bytes.TrimSpace(cutComment(b)) }

// cutComment cuts a line before its comment.
func cutComment(b []byte) []byte {
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			i = stringEnd(b, i)
		case b[i] == ';', b[i] == '/' && i+1 < len(b) && b[i+1] == '/':
			return b[:i]
		}
	}
	return b
}
