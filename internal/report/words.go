package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"perfbisect/engine"
	"perfbisect/engine/search"
	"perfbisect/internal/metric"
)

// sure is a probability in words, rounded down so that it is never overstated;
// "" when none is stated.
func sure(p float64) string {
	switch {
	case p <= 0:
		return ""
	case p >= 0.9995:
		return "more than 99.9 % sure"
	}
	return fmt.Sprintf("%.1f %% sure", math.Floor(p*1000+1e-9)/10)
}

// value is a measured number with its unit.
func value(r *engine.Result, v float64) string { return metric.Format(v, r.Unit) }

// level is a summary of runs in words.
func level(r *engine.Result, l search.Level) string {
	switch {
	case l.N == 0:
		return "not measured"
	case l.N == 1:
		return value(r, l.Value) + " (1 run)"
	case scatter(l) == "":
		return fmt.Sprintf("%s (%d runs)", value(r, l.Value), l.N)
	}
	return fmt.Sprintf("%s (%d runs, scatter %.1f %%)", value(r, l.Value), l.N, 100*l.CV)
}

// change is the change from good to bad, which is pct percent of good (+ =
// worse), in words. Of zero there is no percentage: then both values stand for it.
func change(r *engine.Result, pct float64, good, bad search.Level) string {
	text := amount(r, pct, good)
	if ofZero(good) && pct != 0 {
		text += ", from " + value(r, good.Value) + " to " + value(r, bad.Value)
	}
	return text
}

// sentence is text that may begin with "commit", which is how planners name one.
func sentence(text string) string {
	if rest, ok := strings.CutPrefix(text, "commit "); ok {
		return "Commit " + rest
	}
	return text
}

// amount is change where both values are said anyway. The words are those of
// speed where the unit is one of time or of a rate.
func amount(r *engine.Result, pct float64, good search.Level) string {
	word := "worse"
	speed := r.Unit == "s" || strings.HasSuffix(r.Unit, "/s")
	switch {
	case pct == 0:
		return "unchanged"
	case speed && pct > 0:
		word = "slower"
	case speed:
		word = "faster"
	case pct < 0:
		word = "better"
	}
	if ofZero(good) {
		return word
	}
	return percent(math.Abs(pct)) + " " + word
}

// ofZero reports whether nothing can be a percentage of l.
func ofZero(l search.Level) bool { return l.N > 0 && l.Value == 0 }

// scatter is the scatter of runs in percent of their level; "" where there is no
// percentage of it.
func scatter(l search.Level) string {
	if ofZero(l) {
		return ""
	}
	return percent(100 * l.CV)
}

// percent keeps one digit behind the point, and three significant ones where
// the number is small.
func percent(pct float64) string {
	switch a := math.Abs(pct); {
	case a >= 1e6:
		return fmt.Sprintf("%.3g %%", pct)
	case a >= 1 || a == 0:
		return fmt.Sprintf("%.1f %%", pct)
	}
	return fmt.Sprintf("%.2g %%", pct)
}

// count is a number of things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// elapsed is a duration of work in words.
func elapsed(seconds float64) string {
	d := time.Duration(min(seconds, 1e9) * float64(time.Second))
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	return text
}

// better says which way the metric is better, in the words of the flag.
func better(r *engine.Result) string {
	if r.Better == "" {
		return ""
	}
	return string(r.Better) + " is better"
}
