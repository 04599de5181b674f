package hints

import (
	"fmt"
	"strings"
)

var matrixShape = rx(`(?i)(?:mfma|wmma|smfmac|mma|gemm|xdl)[\w.]*?[_x.]?(\d+x\d+(?:x\d+)?)|M(\d+N\d+(?:K\d+)?)`)

// matrixRule compares the shapes in the names of matrix instructions.
func (fc *fileContext) matrixRule(c *change) {
	if a, b := fc.shapeIn(c.gone), fc.shapeIn(c.came); a != "" && b != "" && a != b {
		fc.emit(c.hint("mfma_shape", 3, fmt.Sprintf("matrix instruction %s became %s", a, b)))
	}
}

// shapeIn is the shape in the first name of a matrix instruction, "" if there is none.
func (fc *fileContext) shapeIn(ts []token) string {
	for _, t := range ts {
		if t.kind == tokOp || t.kind == tokString && strings.Contains(t.text, " ") {
			continue
		}
		if s := fc.memo.word(t.text).shape; s != "" {
			return s
		}
	}
	return ""
}
