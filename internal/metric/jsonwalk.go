package metric

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// jsonWalker emits the numbers of a JSON document, labelled by the keys on the
// way and by what names an element of an array.
type jsonWalker struct {
	labels labels
	emit   func(reading)
	line   int
	group  int
	tail   uint32         // of the document, see reading
	outer  []gjson.Result // the objects around the one that is walked
}

// nameKeys are the keys whose string names an element, best first.
var nameKeys = []string{"name", "label", "benchmark", "benchmark_name", "test", "test_name", "kernel", "kernel_name", "kernelname", "function", "case", "command", "id", "title", "metric"}

// walk visits v. path is the label so far; obj is the object that holds v
// under key.
func (w *jsonWalker) walk(v gjson.Result, path, key string, obj gjson.Result, depth int) {
	switch {
	case depth > 32:
	case v.IsObject():
		w.group++
		if w.hinted(v, path) {
			return
		}
		w.outer = append(w.outer, v)
		v.ForEach(func(k, child gjson.Result) bool {
			p := k.Str
			w.walk(child, joinPath(path, p), p, v, depth+1)
			return true
		})
		w.outer = w.outer[:len(w.outer)-1]
	case v.IsArray():
		w.array(v, path, key, obj, depth)
	default:
		w.leaf(v, path, key, obj)
	}
}

func joinPath(a, b string) string {
	if a == "" {
		return b
	}
	return a + partSep + b
}

// array visits the elements of an array. Objects get the name that tells them
// apart; it stands for the key of the array.
func (w *jsonWalker) array(v gjson.Result, path, key string, obj gjson.Result, depth int) {
	elems := v.Array()
	names := elementNames(elems, w.labels)
	outer, _, nested := cutLast(path, partSep)
	if !nested {
		outer = ""
	}
	for i, e := range elems {
		p := path
		if names != nil && names[i] != "" {
			p = joinPath(outer, verbatim+names[i])
		}
		w.walk(e, p, key, obj, depth+1)
	}
}

// elementNames returns what tells the objects of an array apart, or nil.
func elementNames(elems []gjson.Result, in labels) []string {
	if len(elems) == 0 || !elems[0].IsObject() {
		return nil
	}
	t := &table{kind: 'j', cols: scalarKeys(elems[0])}
	if len(t.cols) == 0 {
		return nil
	}
	for _, e := range elems {
		r := row{cells: make([]string, len(t.cols))}
		m := e.Map()
		for c, k := range t.cols {
			if v := m[k]; !v.IsObject() && !v.IsArray() {
				r.cells[c] = v.String()
			}
		}
		t.rows = append(t.rows, r)
	}
	t.decide(in)
	names := make([]string, len(elems))
	for i, r := range t.rows {
		names[i] = t.keyOf(r)
	}
	return names
}

// scalarKeys returns the keys of an object that hold no object or array, those
// that name it first.
func scalarKeys(obj gjson.Result) []string {
	var keys []string
	obj.ForEach(func(k, v gjson.Result) bool {
		if !v.IsObject() && !v.IsArray() {
			keys = append(keys, k.Str)
		}
		return true
	})
	rank := func(k string) int {
		if i := slices.Index(nameKeys, k); i >= 0 {
			return i
		}
		return len(nameKeys)
	}
	slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
	return keys
}

// leaf emits a number, or a string that is a number and perhaps a unit.
func (w *jsonWalker) leaf(v gjson.Result, path, key string, obj gjson.Result) {
	tok, raw, ok := jsonNumber(v)
	if !ok {
		return
	}
	if path == "" {
		path = "value"
	}
	r := reading{tok: tok, label: path, raw: raw[tok.start:tok.end], line: w.line, group: w.group, tail: w.tail, text: key + ": " + raw, rawUnit: unitText(raw, tok)}
	r.def, r.hasDef = siblingUnit(key, func(k string) gjson.Result { return obj.Get(escapeKey(k)) })
	for i := len(w.outer) - 2; i >= 0 && !r.hasDef && isStatistic(key); i-- { // {"unit": "ms", "latency": {"p50": 1.3}}
		r.def, r.hasDef = siblingUnit(key, func(k string) gjson.Result { return w.outer[i].Get(escapeKey(k)) })
	}
	w.emit(r)
}

// jsonNumber returns the number that a JSON value is.
func jsonNumber(v gjson.Result) (t token, raw string, ok bool) {
	raw = v.Raw
	switch v.Type {
	case gjson.Number:
		n, ok := lexNumber(raw, 0, true)
		if !ok {
			return token{bad: true, end: len(raw)}, raw, true // 1e999
		}
		n.value = v.Num
		return token{number: n, end: len(raw)}, raw, true
	case gjson.String:
		raw = strings.TrimSpace(v.Str)
		if badValue(raw) {
			return token{bad: true, end: len(raw)}, raw, true
		}
		t, ok = cellNumber(raw, nil)
		return t, raw, ok
	}
	return token{}, raw, false
}

func escapeKey(k string) string {
	return strings.NewReplacer(`\`, `\\`, ".", `\.`, "*", `\*`, "?", `\?`, "|", `\|`, "#", `\#`, "@", `\@`, "!", `\!`, "{", `\{`, "[", `\[`).Replace(k)
}

// siblingUnit returns the unit that other keys of the same object tell for a
// key: "unit", "time_unit" and the like, or the shape of a known report.
//
// Sources: google/benchmark docs/user_guide.md (time_unit), pytest-benchmark
// and hyperfine --export-json (seconds), Criterion.rs estimates.json
// (nanoseconds), JMH -rf json (scoreUnit), llama-bench
// (avg_ns and avg_ts, tokens a second).
func siblingUnit(key string, get func(string) gjson.Result) (unit, bool) {
	if countColumn(key) || isWord(key, "ops", "exit_code", "exit_codes", "iqr_outliers", "stddev_outliers") {
		return unit{}, false
	}
	own := key + "Unit"
	if strings.HasPrefix(key, "score") { // JMH: "scoreError" has the unit of "score"
		own = "scoreUnit"
	}
	for _, k := range []string{key + "_unit", key + "_units", own, "unit", "units", "time_unit", "metric_unit"} {
		v := get(k)
		if v.IsArray() {
			v = v.Get("0")
		}
		if u, ok := parseUnit(v.String()); ok && v.Exists() {
			if k != "time_unit" || timeKey(key) {
				return u, true
			}
		}
	}
	if get("mean").Exists() && get("stddev").Exists() && get("min").Exists() && (get("rounds").Exists() || get("command").Exists()) {
		return unit{si: "s", scale: 1, name: "s"}, true
	}
	if stem, ok := strings.CutSuffix(key, "_ts"); ok && get(stem+"_ns").Exists() {
		return unit{si: "1/s", scale: 1, name: "tok/s"}, true
	}
	if isWord(key, "point_estimate", "standard_error") && get("confidence_interval").Exists() {
		return unit{si: "s", scale: 1e-9, name: "s"}, true
	}
	return unit{}, false
}

// timeKey reports whether a key of google/benchmark holds a time.
func timeKey(key string) bool {
	for _, w := range splitWords(key) {
		switch w {
		case "time", "real", "cpu", "rms", "mean", "median", "stddev", "min", "max":
			return true
		}
	}
	return false
}

// hinted emits a summary of nvbench, {"name": …, "hint": "duration", "data":
// [{"name": "value", "value": "0.001"}]}, and reports whether v is one.
func (w *jsonWalker) hinted(v gjson.Result, path string) bool {
	val := v.Get("data.0.value")
	if !val.Exists() || !v.Get("tag").Exists() {
		return false
	}
	tok, raw, ok := jsonNumber(val)
	if !ok {
		return true
	}
	r := reading{tok: tok, label: path, raw: raw, line: w.line, group: w.group, tail: w.tail, text: clip(v.Raw)}
	switch v.Get("hint").Str {
	case "duration":
		r.def, r.hasDef = unit{si: "s", scale: 1, name: "s"}, true
	case "item_rate":
		r.def, r.hasDef = unit{si: "1/s", scale: 1, name: "elem/s"}, true
	case "byte_rate":
		r.def, r.hasDef = unit{si: "B/s", scale: 1, name: "B/s"}, true
	case "bytes":
		r.def, r.hasDef = unit{si: "B", scale: 1, name: "B"}, true
	}
	w.emit(r)
	return true
}

// document walks one document. An object that names itself, as JSON lines do,
// is labelled with its name.
func (w *jsonWalker) document(doc string) {
	v := gjson.Parse(doc)
	path := ""
	if v.IsObject() {
		for _, k := range nameKeys {
			if n := v.Get(k); n.Type == gjson.String && n.Str != "" {
				path = verbatim + n.Str
				break
			}
		}
	}
	w.tail = docTail(v)
	w.walk(v, path, "", gjson.Result{}, 0)
}

// docTail stands for the parameters of a document: the words and the whole
// numbers at its top that are neither counters nor measurements nor times of
// day. Documents of one run that differ in them measure different things.
func docTail(v gjson.Result) uint32 {
	h := uint32(0)
	if !v.IsObject() {
		return h
	}
	v.ForEach(func(k, child gjson.Result) bool {
		switch {
		case child.Type == gjson.Number && plainInt(child.Raw) && paramKey(k.Str),
			child.Type == gjson.String && len(child.Str) <= 64 && !isWord(k.Str, "message", "msg", "level", "time", "date", "ts"):
			h += wordHash(k.Str + "=" + stableText(child.Str+child.Raw))
		}
		return true
	})
	return h
}

// paramKey reports whether the whole number under a key may be a parameter.
func paramKey(key string) bool {
	if countColumn(key) {
		return false
	}
	words := splitWords(key)
	for _, w := range words {
		if isCounter(w) || isWord(w, "tokens", "seen", "consumed", "total", "elapsed", "time", "timestamp") {
			return false
		}
	}
	_, _, hasUnit := labelUnit(key)
	return !hasUnit && polarityOf(words, unit{}) == Unknown
}
