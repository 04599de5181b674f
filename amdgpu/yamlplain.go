package amdgpu

import (
	"bytes"
)

// plainReader walks the lines of a document in LLVM's layout.
type plainReader struct {
	rest []byte
	line []byte // the current line without its indentation
	ind  int    // its indentation in spaces
	done bool
}

// next moves to the next line that holds anything.
func (r *plainReader) next() error {
	for len(r.rest) > 0 {
		line := r.rest
		if i := bytes.IndexByte(r.rest, '\n'); i >= 0 {
			line, r.rest = r.rest[:i], r.rest[i+1:]
		} else {
			r.rest = nil
		}
		line = bytes.TrimRight(line, " \r")
		r.ind = 0
		for r.ind < len(line) && line[r.ind] == ' ' {
			r.ind++
		}
		r.line = line[r.ind:]
		switch {
		case len(r.line) == 0, r.line[0] == '#', r.ind == 0 && string(r.line) == "---":
			continue
		case r.ind == 0 && string(r.line) == "...":
			if len(bytes.TrimSpace(r.rest)) > 0 {
				return errNotPlain
			}
			r.done = true
			return nil
		}
		return nil
	}
	r.done = true
	return nil
}

// item reports whether the line starts a list item, and moves past its dash.
func (r *plainReader) item() bool {
	if len(r.line) < 3 || r.line[0] != '-' || r.line[1] != ' ' {
		return false
	}
	n := 2
	for n < len(r.line) && r.line[n] == ' ' {
		n++
	}
	r.line, r.ind = r.line[n:], r.ind+n
	return true
}

// pair splits "key: scalar" or "key:". A nested value gives ok false. The
// scalar is only made for a key that is wanted; it is checked in any case.
func (r *plainReader) pair(want func([]byte) bool) (key []byte, s scalar, ok bool, err error) {
	i := bytes.IndexByte(r.line, ':')
	if i <= 0 || !plainKey(r.line[:i]) {
		return nil, s, false, errNotPlain
	}
	key, val := r.line[:i], r.line[i+1:]
	if len(val) == 0 {
		return key, s, false, nil
	}
	if val[0] != ' ' {
		return nil, s, false, errNotPlain
	}
	s, err = plainScalar(bytes.TrimLeft(val, " "), want(key))
	return key, s, true, err
}

func plainKey(k []byte) bool {
	for _, c := range k {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.') {
			return false
		}
	}
	return true
}

// plainScalar reads a scalar that fills the rest of its line. Without keep it
// only checks that it is in the subset.
func plainScalar(v []byte, keep bool) (scalar, error) {
	switch v[0] {
	case '\'':
		if len(v) < 2 || v[len(v)-1] != '\'' {
			return scalar{}, errNotPlain
		}
		in := v[1 : len(v)-1]
		out := bytes.ReplaceAll(in, []byte("''"), []byte("'"))
		if bytes.Count(in, []byte("'")) != 2*bytes.Count(in, []byte("''")) {
			return scalar{}, errNotPlain
		}
		return scalar{string(out), true}, nil
	case '"':
		if len(v) < 2 || v[len(v)-1] != '"' || bytes.ContainsAny(v[1:len(v)-1], `"\`) {
			return scalar{}, errNotPlain
		}
		return scalar{string(v[1 : len(v)-1]), true}, nil
	case '[', ']', '{', '}', ',', '&', '*', '!', '|', '>', '%', '@', '`', '#', '?', ':':
		return scalar{}, errNotPlain
	case '-':
		if len(v) == 1 || v[1] == ' ' {
			return scalar{}, errNotPlain
		}
	}
	if bytes.IndexByte(v, '\t') >= 0 || bytes.Contains(v, []byte(": ")) || bytes.Contains(v, []byte(" #")) || v[len(v)-1] == ':' {
		return scalar{}, errNotPlain
	}
	if !keep {
		return scalar{}, nil
	}
	return scalar{text: string(v)}, nil
}

func always([]byte) bool           { return true }
func wantedArgKey(key []byte) bool { return string(key) == ".value_kind" }

// plainYAML reads the layout of LLVM's printer: block maps and lists, one
// scalar on a line. It never guesses: anything else is errNotPlain.
func plainYAML(doc []byte) (*metadata, error) {
	m, r := new(metadata), &plainReader{rest: doc}
	if err := r.next(); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for !r.done {
		if r.ind != 0 {
			return nil, errNotPlain
		}
		key, s, ok, err := r.pair(always)
		if err != nil || seen[string(key)] {
			return nil, errNotPlain
		}
		seen[string(key)] = true
		if ok && (string(key) == "amdhsa.kernels" || string(key) == "amdhsa.version") {
			return nil, errNotPlain
		}
		if ok {
			m.setTop(string(key), s)
			err = r.next()
		} else {
			err = m.plainTop(string(key), r)
		}
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *metadata) plainTop(key string, r *plainReader) error {
	if err := r.next(); err != nil {
		return err
	}
	switch key {
	case "amdhsa.kernels":
		m.hasKernels = true
		return m.plainKernels(r)
	case "amdhsa.version":
		for at := r.ind; !r.done && r.ind == at && r.item(); {
			s, err := plainScalar(r.line, true)
			if err != nil {
				return err
			}
			m.addVersion(s)
			if err := r.next(); err != nil {
				return err
			}
		}
		if m.versions == 0 {
			return errNotPlain
		}
		return nil
	}
	return r.skip(0, nil)
}

func (m *metadata) plainKernels(r *plainReader) error {
	at := r.ind
	for !r.done && r.ind == at && r.item() {
		k := metaKernel{}
		if err := k.plain(r); err != nil {
			return err
		}
		m.kernels = append(m.kernels, k)
	}
	if len(m.kernels) == 0 {
		return errNotPlain
	}
	return nil
}

// plain reads the pairs of one kernel, whose keys stand in column r.ind.
func (k *metaKernel) plain(r *plainReader) error {
	at := r.ind
	for {
		key, s, ok, err := r.pair(wantedKey)
		if err != nil {
			return err
		}
		if err := r.next(); err != nil {
			return err
		}
		switch wanted := wantedKey(key); {
		case ok && wanted:
			k.set(string(key), s)
		case ok:
		case wanted:
			return errNotPlain
		case string(key) == ".args":
			err = r.skip(at, k.setArg)
		default:
			err = r.skip(at, nil)
		}
		if err != nil {
			return err
		}
		if r.done || r.ind < at {
			return nil
		}
		if r.ind > at || r.line[0] == '-' {
			return errNotPlain
		}
	}
}

// level is one open map or list of a skipped value.
type level struct {
	col  int
	list bool
}

// skip moves past the value of a key in column at: deeper lines, and list
// items in the same column. It checks that they nest as block YAML and shows
// each wanted pair on the way to leaf.
func (r *plainReader) skip(at int, leaf func(string, scalar)) error {
	stack, open := []level{{at, false}}, true // open: the last key has no value yet
	for !r.done && (r.ind > at || r.ind == at && r.line[0] == '-') {
		col := r.ind
		isItem := r.item()
		var err error
		if stack, err = enter(stack, col, isItem, open); err != nil {
			return err
		}
		key, s, ok, err := r.pair(wantedArgKey)
		switch {
		case err == nil && isItem:
			stack = append(stack, level{r.ind, false})
		case err != nil && isItem:
			if _, err := plainScalar(r.line, false); err != nil {
				return err
			}
			ok = true
		case err != nil:
			return err
		}
		if open = !ok; ok && leaf != nil && wantedArgKey(key) {
			leaf(string(key), s)
		}
		if err := r.next(); err != nil {
			return err
		}
	}
	return nil
}

// enter closes what ends before a line in column col and opens what starts.
func enter(stack []level, col int, isItem, open bool) ([]level, error) {
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		switch {
		case top.col > col, top.col == col && top.list && !isItem:
			stack, open = stack[:len(stack)-1], false
		case top.col == col && top.list == isItem:
			if open && !isItem {
				return nil, errNotPlain // the key before has no value at all
			}
			return stack, nil
		case open && (top.col < col || isItem):
			return append(stack, level{col, isItem}), nil
		default:
			return nil, errNotPlain
		}
	}
	return nil, errNotPlain
}
