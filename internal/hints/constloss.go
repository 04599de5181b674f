package hints

// constLoss finds what the compiler knew and no longer knows: if constexpr, a
// template's number, a constant at the top of a file.
func (fc *fileContext) constLoss(c *change) {
	if c.new.dev == no && !fc.gpu {
		return
	}
	e := c.hint("specialization", 2, "")
	a, b := c.old.toks, c.new.toks
	template := a[0].text == "template"
	switch {
	case hasText(c.gone, "constexpr") && a[0].text == "if" && b[0].text == "if":
		e.level, e.reason = 3, "a branch that the compiler chose is now chosen at run time"
	case hasText(c.gone, "constexpr") && !hasText(b, "constexpr", "const") && hasText(a, "=") && hasText(b, "=") && c.new.dev == unknown && fc.gpu:
		e.reason = "a compile-time constant became a variable"
	case template && b[0].text == "template" && len(c.came) == 0 && hasText(c.gone, "bool", "int") && fc.gpu:
		e.reason = "a template argument is gone"
	case template && b[0].text != "template" && hasText(a, "int") && hasText(b, "int") && hasText(a, "__global__"):
		e.level, e.reason = 3, "a template argument became a run-time argument"
	default:
		return
	}
	fc.emit(e)
}
