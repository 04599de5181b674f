package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// field is one argument of a tool, read from a field of its argument struct.
//
// The tags are: json (name), desc (what it is, for the model), enum (allowed
// values, separated by commas), need ("true": must be given), also (another name
// that is understood and not listed).
type field struct {
	name  string
	also  string
	desc  string
	enum  []string
	need  bool
	typ   reflect.Type
	index []int
}

// fieldsOf lists the arguments of an argument struct in declaration order.
// Embedded structs are flattened, because clients handle flat schemas best.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
			continue
		}
		one := field{name: f.Tag.Get("json"), also: f.Tag.Get("also"), desc: f.Tag.Get("desc"), need: f.Tag.Get("need") == "true", typ: f.Type, index: []int{i}}
		if e := f.Tag.Get("enum"); e != "" {
			one.enum = strings.Split(e, ",")
		}
		fields = append(fields, one)
	}
	return fields
}

// names lists the names of fields.
func names(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.name
	}
	return out
}

// jsonType is the schema type of an argument. Only flat types exist: a type
// array, $ref or combinator is dropped or refused by some client.
func (f *field) jsonType() string {
	switch f.typ.Kind() {
	case reflect.String:
		return "string"
	case reflect.Int:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return "array"
	default:
		panic(fmt.Sprintf("argument %s has type %s", f.name, f.typ))
	}
}

// inputSchema writes the JSON schema of an argument struct. It is written by
// hand to keep the order of the fields, which models read as importance.
func inputSchema(fields []field) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	var need []string
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", f.name, f.property())
		if f.need {
			need = append(need, f.name)
		}
	}
	b.WriteByte('}')
	if need != nil {
		list, _ := json.Marshal(need) // a []string cannot fail
		fmt.Fprintf(&b, `,"required":%s`, list)
	}
	b.WriteString(`,"additionalProperties":false}`)
	return json.RawMessage(b.String())
}

func (f *field) property() string {
	p := map[string]any{"type": f.jsonType(), "description": f.desc}
	if f.enum != nil {
		p["enum"] = f.enum
	}
	if f.typ.Kind() == reflect.Slice {
		p["items"] = map[string]any{"type": "string"}
	}
	text, _ := json.Marshal(p) // strings and lists of strings cannot fail
	return string(text)
}

// outputSchema is the schema of a result: its own fields with their types, in
// order. What lies deeper is left open, because the schema is sent with every
// list and no client shows it to its model. The root must be an object, or the
// TypeScript SDK drops the whole list.
func outputSchema(t reflect.Type) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	var need []string
	for i := range t.NumField() {
		name, rest, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:{%s}", name, outputType(t.Field(i).Type))
		if rest != "omitempty" {
			need = append(need, name)
		}
	}
	list, _ := json.Marshal(need) // strings cannot fail
	fmt.Fprintf(&b, `},"required":%s}`, list)
	return json.RawMessage(b.String())
}

func outputType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return outputType(t.Elem())
	case reflect.Struct, reflect.Map:
		return `"type":"object"`
	case reflect.Slice, reflect.Array:
		return `"type":"array","items":{` + outputType(t.Elem()) + `}`
	case reflect.Int, reflect.Int64:
		return `"type":"integer"`
	case reflect.Float64:
		return `"type":"number"`
	case reflect.Bool:
		return `"type":"boolean"`
	case reflect.String:
		return `"type":"string"`
	default:
		panic(fmt.Sprintf("a result has a field of type %s", t))
	}
}
