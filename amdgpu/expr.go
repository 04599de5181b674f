package amdgpu

import (
	"fmt"
	"strconv"
	"strings"
)

// maxEval bounds the work of one expression: nesting and symbols followed.
const maxEval = 200

// evaluator computes the assembler expressions that LLVM 20 and later write
// for resources, with the symbols of one module.
type evaluator struct {
	target Target
	sets   map[string]setValue
	// values remembers what was computed; it also breaks cycles.
	values map[string]int64
	busy   map[string]bool
}

// setValue is the right side of one .set; conflict means that the file sets
// the symbol twice to different things.
type setValue struct {
	text     []byte
	conflict bool
}

// eval computes an expression: integers, symbols, + - * / % & | ~ and
// parentheses, max, or, alignto, totalnumvgprs. Source: AMDGPUMCExpr.cpp.
func (e *evaluator) eval(text []byte) (int64, error) { return e.evalAt(text, 0) }

func (e *evaluator) evalAt(text []byte, depth int) (int64, error) {
	p := &exprParser{e: e, b: text, depth: depth}
	v, err := p.binary(0)
	if err != nil {
		return 0, err
	}
	if p.blank(); p.i < len(p.b) {
		return 0, fmt.Errorf("evaluating %q: unexpected %q", clip(string(text), 60), p.b[p.i])
	}
	return v, nil
}

// symbol computes a symbol, which may be defined later in the file. A leading
// ".L" may be absent or present on either side.
func (e *evaluator) symbol(name string, depth int) (int64, error) {
	name = strings.TrimPrefix(name, ".L")
	if v, ok := e.values[name]; ok {
		return v, nil
	}
	set, ok := e.sets[name]
	switch {
	case !ok:
		return 0, fmt.Errorf("symbol %q is not defined in this file", clip(name, 60))
	case set.conflict:
		return 0, fmt.Errorf("symbol %q is set to two different things", clip(name, 60))
	case e.busy[name] || depth > maxEval:
		return 0, fmt.Errorf("symbol %q is defined by itself", clip(name, 60))
	}
	e.busy[name] = true
	v, err := e.evalAt(set.text, depth+1)
	delete(e.busy, name)
	if err == nil {
		e.values[name] = v
	}
	return v, err
}

type exprParser struct {
	e     *evaluator
	b     []byte
	i     int
	depth int
}

func (p *exprParser) blank() { p.i = skipBlanks(p.b, p.i) }

func (p *exprParser) peek() byte {
	if p.blank(); p.i < len(p.b) {
		return p.b[p.i]
	}
	return 0
}

// precedence of the binary operators, as in the assembler.
func precedence(op byte) int {
	switch op {
	case '|', '^':
		return 1
	case '&':
		return 2
	case '+', '-':
		return 3
	case '*', '/', '%':
		return 4
	}
	return 0
}

func (p *exprParser) binary(least int) (int64, error) {
	left, err := p.unary()
	for err == nil {
		op := p.peek()
		level := precedence(op)
		if level == 0 || level <= least {
			return left, nil
		}
		p.i++
		var right int64
		if right, err = p.binary(level); err == nil {
			left, err = apply(op, left, right)
		}
	}
	return 0, err
}

func apply(op byte, a, b int64) (int64, error) {
	switch op {
	case '|':
		return a | b, nil
	case '^':
		return a ^ b, nil
	case '&':
		return a & b, nil
	case '+':
		return a + b, nil
	case '-':
		return a - b, nil
	case '*':
		return a * b, nil
	}
	if b == 0 {
		return 0, fmt.Errorf("division by zero")
	}
	if op == '/' {
		return a / b, nil
	}
	return a % b, nil
}

func (p *exprParser) unary() (int64, error) {
	if p.depth++; p.depth > maxEval {
		return 0, errTooDeep
	}
	defer func() { p.depth-- }()
	switch c := p.peek(); {
	case c == '~' || c == '-' || c == '+':
		p.i++
		v, err := p.unary()
		switch c {
		case '~':
			v = ^v
		case '-':
			v = -v
		}
		return v, err
	case c == '(':
		p.i++
		v, err := p.binary(0)
		if err == nil {
			err = p.expect(')')
		}
		return v, err
	case c >= '0' && c <= '9':
		return p.integer()
	case c == '"':
		name, n, ok := quoted(p.b[p.i:])
		if !ok {
			return 0, fmt.Errorf("a name without closing quote")
		}
		p.i += n
		return p.e.symbol(name, p.depth)
	}
	return p.word()
}

func (p *exprParser) expect(c byte) error {
	if p.peek() != c {
		return fmt.Errorf("evaluating %q: want %q at byte %d", clip(string(p.b), 60), c, p.i)
	}
	p.i++
	return nil
}

func (p *exprParser) integer() (int64, error) {
	end := wordEnd(p.b, p.i)
	v, err := strconv.ParseInt(string(p.b[p.i:end]), 0, 64)
	p.i = end
	return v, err
}

func (p *exprParser) word() (int64, error) {
	end := wordEnd(p.b, p.i)
	if end == p.i {
		return 0, fmt.Errorf("evaluating %q: no value at byte %d", clip(string(p.b), 60), p.i)
	}
	name := string(p.b[p.i:end])
	if p.i = end; p.peek() == '(' {
		return p.call(name)
	}
	return p.e.symbol(name, p.depth)
}

func (p *exprParser) call(name string) (int64, error) {
	var args []int64
	for p.i++; ; p.i++ {
		v, err := p.binary(0)
		if err != nil {
			return 0, err
		}
		if args = append(args, v); p.peek() != ',' {
			break
		}
	}
	if err := p.expect(')'); err != nil {
		return 0, err
	}
	return p.e.callFunction(name, args)
}

func (e *evaluator) callFunction(name string, args []int64) (int64, error) {
	switch {
	case name == "max":
		v := args[0]
		for _, a := range args {
			v = max(v, a)
		}
		return v, nil
	case name == "or":
		v := int64(0)
		for _, a := range args {
			v |= a
		}
		return v, nil
	case name == "alignto" && len(args) == 2 && args[1] > 0:
		return alignTo(args[0], args[1]), nil
	case name == "totalnumvgprs" && len(args) == 2:
		return e.target.totalVGPRs(args[1], args[0]), nil // AGPRs, VGPRs
	}
	return 0, fmt.Errorf("function %q of %d arguments is not known", clip(name, 40), len(args))
}

// quoted reads a string literal at the start of b and returns it without
// quotes and escapes, with how many bytes it took. LLVM escapes quotes and line
// ends in names, and backslashes since version 20 only.
func quoted(b []byte) (s string, n int, ok bool) {
	out := []byte(nil)
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '"':
			return string(out), i + 1, true
		case '\\':
			out = append(out, '\\')
			if i+1 < len(b) {
				switch b[i+1] {
				case '"', '\\':
					out[len(out)-1] = b[i+1]
					i++
				case 'n':
					out[len(out)-1] = '\n'
					i++
				}
			}
		default:
			out = append(out, b[i])
		}
	}
	return "", 0, false
}
