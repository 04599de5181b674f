package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Sizes of a structured result in bytes of JSON. Claude Code shows 50,000
// characters, Codex cuts the middle out of 12,000 for an unknown model.
const (
	typicalBytes = 8 << 10
	hardBytes    = 30 << 10
)

// keepItems and keepBytes are what fit always leaves of a list and a string.
const (
	keepItems = 3
	keepBytes = 400
)

// fit shortens the lists and strings of v, the largest first, until its JSON
// has at most limit bytes, and says what it cut. v is replaced by a copy, so
// what it shares with others stays whole.
func fit[T any](v *T, limit int) (cut []string, err error) {
	text, err := json.Marshal(v)
	if err != nil || len(text) <= limit {
		return nil, err
	}
	var small T
	if err := json.Unmarshal(text, &small); err != nil {
		return nil, err
	}
	was := map[string]string{}
	for len(text) > limit {
		big := largest(reflect.ValueOf(&small).Elem(), "")
		if big.size == 0 {
			break
		}
		if _, seen := was[big.path]; !seen {
			was[big.path] = big.amount()
			cut = append(cut, big.path)
		}
		big.halve(len(text) - limit)
		if text, err = json.Marshal(&small); err != nil {
			return nil, err
		}
	}
	*v = small
	for i, path := range cut {
		cut[i] = path + " had " + was[path]
	}
	return cut, nil
}

// part is a list or a string inside a result.
type part struct {
	path string
	size int // bytes of JSON
	at   reflect.Value
}

func (p part) amount() string {
	if p.at.Kind() == reflect.String {
		return fmt.Sprintf("%d bytes", p.at.Len())
	}
	return fmt.Sprintf("%d items", p.at.Len())
}

// halve cuts the part to half its length, or a string by the excess. A string
// keeps both ends, because the end of an output says how it went.
func (p part) halve(excess int) {
	n := p.at.Len()
	if p.at.Kind() == reflect.Slice {
		p.at.Set(p.at.Slice(0, max(keepItems, n/2)))
		return
	}
	keep := max(keepBytes, n-excess-64)
	s := p.at.String()
	const mark = " […] "
	p.at.SetString(strings.ToValidUTF8(s[:keep/2]+mark+s[n-keep/2+len(mark)+2:], ""))
}

// largest finds the list or string below v that takes most space and may be
// cut; size 0 when there is none. A list of large items counts as their whole.
func largest(v reflect.Value, path string) part {
	var best part
	take := func(p part) {
		if p.size > best.size {
			best = p
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return largest(v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				take(largest(v.Field(i), join(path, jsonName(f))))
			}
		}
	case reflect.Slice:
		take(list(v, path))
		for i := range v.Len() {
			take(largest(v.Index(i), fmt.Sprintf("%s[%d]", path, i)))
		}
	case reflect.String:
		if v.Len() > keepBytes && v.CanSet() && utf8.ValidString(v.String()) {
			take(part{path, v.Len(), v})
		}
	}
	return best
}

func list(v reflect.Value, path string) part {
	if v.Len() <= keepItems || !v.CanSet() || v.Type().Elem().Kind() == reflect.Uint8 {
		return part{}
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return part{}
	}
	return part{path, len(text), v}
}

func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

// jsonName is the name of a field in JSON; "" for an embedded struct.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" && !f.Anonymous {
		return f.Name
	}
	return name
}
