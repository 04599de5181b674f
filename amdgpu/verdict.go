package amdgpu

// A Verdict is the answer of a comparison, in the words of the last line of
// output: "RESULT: " and the verdict.
type Verdict string

// The verdicts. OK and Regression are claims about the code;
// NotTrustworthy is a claim about how much the reader could know.
const (
	OK             Verdict = "OK"
	Regression     Verdict = "REGRESSION"
	NotTrustworthy Verdict = "NOT TRUSTWORTHY"
)

// ExitCode is 0, 1 or 2.
func (v Verdict) ExitCode() int {
	switch v {
	case OK:
		return 0
	case Regression:
		return 1
	}
	return 2
}
