package report

import (
	"fmt"

	"perfbisect/engine"
	"perfbisect/engine/search"
)

// Summary is the answer in at most three sentences that stand alone.
func Summary(d *Document) string {
	r := d.Result
	switch r.Outcome {
	case search.Found:
		return fmt.Sprintf("%s made the benchmark %s: %s before, %s after%s. %s", quoted(d.commit(r.Culprit)),
			amount(r, r.ChangePct, r.Good), shortLevel(r, r.Good), shortLevel(r, r.Bad), inBrackets(sure(r.Probability)), cost(r))
	case search.FoundAmong:
		return fmt.Sprintf("One of %s after %s made the benchmark %s%s; which of them is not known. %s", count(len(r.Candidates), "commit"),
			line(engine.Short(r.LastGood)), change(r, r.ChangePct, r.Good, r.Bad), inBrackets(sure(r.Probability)), cost(r))
	case search.Undecided:
		return firstSentences(undecided(d).prose[0]+" "+line(r.Reason), 2) + " " + cost(r)
	}
	return firstSentences(outcomeSentence(d)+" "+line(r.Reason), 2) + " " + cost(r)
}

// quoted is a commit in a sentence, with what is known of it.
func quoted(c Commit) string {
	text := line(engine.Short(c.Hash))
	if subject := cut(line(c.Subject), 72); subject != "" {
		text += ` "` + subject + `"`
	}
	if author := line(c.Author); author != "" {
		text += " by " + author
	}
	return text
}

func shortLevel(r *engine.Result, l search.Level) string {
	if l.N == 0 {
		return "not measured"
	}
	return value(r, l.Value)
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func cost(r *engine.Result) string {
	return fmt.Sprintf("It took %s and %s in %s.", count(r.Runs, "run"), count(r.Builds, "build"), elapsed(r.ElapsedS))
}

// firstSentences cuts text behind its nth sentence. A sentence ends with a
// point before a space, so that 39.6 is none.
func firstSentences(text string, n int) string {
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '.' && text[i+1] == ' ' {
			if n--; n == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}
