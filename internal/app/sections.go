package app

import (
	"fmt"
	"math"
	"strings"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/hints"
	"perfbisect/internal/metric"
	"perfbisect/internal/report"
)

func section(n engine.Note) report.Section {
	return report.Section{Title: n.Title, Prose: n.Prose, Head: n.Head, Rows: n.Rows, Pre: n.Pre}
}

// noteSections are what was found out beside the search, in the order in which
// it happened, and what is computed from the whole journal. The machine code
// around the culprit has its place beside the hints.
func noteSections(s *engine.State) []report.Section {
	var list []report.Section
	for _, n := range s.Notes {
		if code := s.Note(noteCode); n.Kind == noteEndsCode && code != nil && code.Pre == n.Pre && n.Pre != "" {
			n.Prose, n.Pre = append(n.Prose, "Between the ends it changed as it did in this commit."), ""
		}
		if n.Kind != noteCode && !strings.HasPrefix(n.Kind, "proof_") {
			list = append(list, section(n))
		}
	}
	if s.Result != nil && len(s.Result.Proofs) > 0 {
		proof := report.Section{Title: "Proof"}
		for _, p := range s.Result.Proofs {
			proof.Prose = append(proof.Prose, p.Kind+": "+p.Reason)
		}
		list = append(list, proof)
	}
	if n, ok := identityNote(s); ok {
		list = append(list, section(n))
	}
	if s.Result != nil {
		if n, ok := priorNote(s, s.Result); ok {
			list = append(list, section(n))
		}
	}
	return list
}

// attribution says in one paragraph what is known of the culprit and what is a
// guess.
func attribution(s *engine.State, r *engine.Result, found *hints.Report) report.Section {
	sentences := []string{known(r)}
	if n := s.Note(noteCode); n != nil {
		switch _, _, words := worstChange(n.Kernels); {
		case words != "":
			sentences = append(sentences, "Known: the compiled code got worse in this commit, "+words+". That this is what costs the time is likely, and was not measured.")
		case len(n.Kernels) > 0:
			sentences = append(sentences, "Known: the compiled code changed, but no resource got worse, so the cause is not registers, spills or LDS.")
		case n.Pre == "" && strings.HasPrefix(strings.Join(n.Prose, ""), "No kernel"):
			sentences = append(sentences, "Known: registers, spills, scratch and LDS of all kernels are as before, so the cause is in the instructions or outside the kernels.")
		}
	} else {
		sentences = append(sentences, "The machine code was not compared (--dump or --artifact would).")
	}
	if in := r.Inner; in != nil {
		sentences = append(sentences, fmt.Sprintf("Known: the commit moves the %s %s, and with nothing else changed commit %s of it is where the step lies.", in.Kind, in.Path, short(in.Culprit)))
	}
	switch {
	case len(found.Hints) == 0:
		sentences = append(sentences, "Guess: none; no change of a kind that is known to cost speed is in the diff.")
	default:
		h := found.Hints[0]
		sentences = append(sentences, fmt.Sprintf("Guess: %s at %s:%d (%s confidence): %s.", h.Pattern, h.File, h.Line, h.Confidence, strings.TrimSuffix(h.Cause, ".")))
	}
	return report.Section{Title: "What is known, and what is a guess", Prose: []string{strings.Join(sentences, " ")}}
}

// known is what was measured.
func known(r *engine.Result) string {
	who := "one of " + commitsText(len(r.Candidates))
	if r.Culprit != "" {
		who = "commit " + short(r.Culprit)
	}
	text := fmt.Sprintf("Known, because measured: from commit %s to %s the metric went from %s to %s (%d and %d runs)",
		short(r.LastGood), who, metric.Format(r.Good.Value, r.Unit), metric.Format(r.Bad.Value, r.Unit), r.Good.N, r.Bad.N)
	if r.ExplainedPct > 0 && !math.IsInf(r.ExplainedPct, 0) {
		text += fmt.Sprintf(", %.0f %% of the gap between the ends", r.ExplainedPct)
	}
	for _, p := range r.Proofs {
		if p.RecoveredPct != nil {
			text += fmt.Sprintf("; %s recovers %.0f %% of it", map[string]string{"revert": "taking it back", "fix-on": "the patch"}[p.Kind], *p.RecoveredPct)
		}
	}
	if r.Outcome == search.FoundAmong {
		text += "; which commit of the set did it is not known"
	}
	return text + "."
}
