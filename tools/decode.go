package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// decode fills the argument struct into from the arguments of a call and
// reports everything that is wrong with them at once. What is absent, null or
// an empty string keeps the value that into already has: models often fill
// optional arguments with "", and write null as a word. Models also quote
// numbers, so "3" is taken for 3 and "true" for true, and one string for a list
// of one.
func decode(arguments any, into any) error {
	given, err := object(arguments)
	if err != nil {
		return err
	}
	v := reflect.ValueOf(into).Elem()
	fields := fieldsOf(v.Type())
	errs := unknown(given, fields)
	for _, f := range fields {
		raw, ok := given[f.name]
		if !ok && f.also != "" {
			raw, ok = given[f.also]
		}
		switch {
		case !ok || f.absent(raw):
			if f.need {
				errs = append(errs, fmt.Errorf("%s is missing", f.name))
			}
		default:
			if err := f.set(v.FieldByIndex(f.index), raw); err != nil {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// object returns the arguments as a map. A client may send none at all, or what
// its language writes for an empty map, or an object in a string.
func object(arguments any) (map[string]any, error) {
	switch a := arguments.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return a, nil
	case []any:
		if len(a) == 0 {
			return nil, nil
		}
	case string:
		var inner map[string]any
		if strings.TrimSpace(a) == "" || json.Unmarshal([]byte(a), &inner) == nil {
			return inner, nil
		}
	}
	return nil, fmt.Errorf("arguments are %s, must be an object", show(arguments))
}

// absent reports whether raw stands for no value. A text may be any word; for
// the other types, and for one word of a few, null is none.
func (f *field) absent(raw any) bool {
	if raw == nil || raw == "" {
		return true
	}
	word, ok := raw.(string)
	return ok && (f.enum != nil || f.typ.Kind() != reflect.String) && contains([]string{"null", "none", "undefined"}, strings.ToLower(strings.TrimSpace(word)))
}

// unknown reports arguments that no field has, in the order of their names.
func unknown(given map[string]any, fields []field) []error {
	valid := names(fields)
	var errs []error
	for _, name := range sortedKeys(given) {
		if !contains(valid, name) && !slices.ContainsFunc(fields, func(f field) bool { return f.also == name }) {
			errs = append(errs, fmt.Errorf("unknown argument %q%s; the arguments are: %s", name, hintFor(name, given[name], valid), strings.Join(valid, ", ")))
		}
	}
	return errs
}

func (f *field) set(v reflect.Value, raw any) error {
	switch f.typ.Kind() {
	case reflect.String:
		return f.setText(v, raw)
	case reflect.Int:
		return f.setInt(v, raw)
	case reflect.Float64:
		x, ok := numberOf(raw)
		if !ok {
			return f.wrong(raw, "a number")
		}
		v.SetFloat(x)
	case reflect.Bool:
		b, ok := boolOf(raw)
		if !ok {
			return f.wrong(raw, "true or false")
		}
		v.SetBool(b)
	case reflect.Slice:
		list, ok := listOf(raw)
		if !ok {
			return f.wrong(raw, "a list of strings"+example(f.name))
		}
		v.Set(reflect.ValueOf(list))
	}
	return nil
}

func (f *field) setText(v reflect.Value, raw any) error {
	text, ok := stringOf(raw)
	if !ok {
		return f.wrong(raw, "a string")
	}
	if f.enum != nil && !contains(f.enum, text) {
		return f.wrong(raw, "one of: "+strings.Join(f.enum, ", "))
	}
	v.SetString(text)
	return nil
}

func (f *field) setInt(v reflect.Value, raw any) error {
	x, ok := numberOf(raw)
	if !ok || x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
		return f.wrong(raw, "a whole number")
	}
	v.SetInt(int64(x))
	return nil
}

// example shows what a list of settings looks like.
func example(name string) string {
	if name == optionsArgument {
		return `, such as ["first_parent=false"]`
	}
	return ""
}

func (f *field) wrong(raw any, want string) error {
	return fmt.Errorf("%s is %s, must be %s", f.name, show(raw), want)
}

// stringOf takes a string, and a number or a switch as its text: an all-digit
// commit hash or tag arrives as a number.
func stringOf(raw any) (string, bool) {
	switch x := raw.(type) {
	case string:
		return x, true
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(x), true
	}
	return "", false
}

func numberOf(raw any) (float64, bool) {
	switch x := raw.(type) {
	case float64:
		return x, true
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(x), 64)
		return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

func boolOf(raw any) (bool, bool) {
	switch x := raw.(type) {
	case bool:
		return x, true
	case string:
		b, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(x)))
		return b, err == nil
	}
	return false, false
}

// listOf takes a list of strings, a string that holds one in JSON, one string,
// and an object {"name": value} as name=value.
func listOf(raw any) ([]string, bool) {
	switch x := raw.(type) {
	case string:
		var inner []any
		if strings.HasPrefix(strings.TrimSpace(x), "[") && json.Unmarshal([]byte(x), &inner) == nil {
			return listOf(inner)
		}
		return []string{x}, true
	case map[string]any:
		var list []string
		for _, name := range sortedKeys(x) {
			text, ok := stringOf(x[name])
			if !ok {
				return nil, false
			}
			list = append(list, name+"="+text)
		}
		return list, true
	case []any:
		list := make([]string, len(x))
		for i, e := range x {
			text, ok := stringOf(e)
			if !ok {
				return nil, false
			}
			list[i] = text
		}
		return list, true
	}
	return nil, false
}

// show renders an outside value for an error, short.
func show(raw any) string {
	text, err := json.Marshal(raw)
	if err != nil {
		return fmt.Sprintf("a %T", raw)
	}
	if len(text) > 80 {
		return string(text[:77]) + "..."
	}
	return string(text)
}
