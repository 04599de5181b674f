// Command simulate runs planners against simulated benchmarks and prints how
// often they are right, how many runs they take and how far their stated
// confidence can be trusted. It makes the tables and the picture of
// docs/METHOD.md. It measures nothing real and writes nothing but its output.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"perfbisect/engine/enginetest"
	"perfbisect/engine/search"
)

type settings struct {
	noise, n, d, build, broken, planner string
	trials, workers, j, maxRuns, warmup int
	seed                                uint64
	two, all, markdown, wrong, trace    bool
	calibration, confidence             string
}

func main() {
	var s settings
	flag.StringVar(&s.noise, "noise", "all", "noise families, comma-separated, or all")
	flag.StringVar(&s.n, "n", "128", "candidates")
	flag.StringVar(&s.d, "d", "2,5,20", "gap between the ends in units of the scatter")
	flag.StringVar(&s.build, "build", "0", "cost of a build in runs")
	flag.StringVar(&s.broken, "broken", "0", "share of commits that do not build")
	flag.StringVar(&s.planner, "planner", "adaptive", "adaptive, classic, git1, git5, bayes")
	flag.IntVar(&s.trials, "trials", 300, "trials a cell")
	flag.IntVar(&s.workers, "workers", 1, "parallel workers")
	flag.IntVar(&s.j, "j", runtime.NumCPU(), "trials simulated at the same time")
	flag.IntVar(&s.maxRuns, "max-runs", 0, "budget of a hunt in runs; 0: none")
	flag.IntVar(&s.warmup, "warmup", 0, "warm-up runs after each checkout")
	flag.Uint64Var(&s.seed, "seed", 1, "first seed")
	flag.BoolVar(&s.two, "two", false, "the gap comes in two steps")
	flag.BoolVar(&s.all, "all", false, "search the whole gap")
	flag.BoolVar(&s.markdown, "markdown", false, "print a Markdown table")
	flag.BoolVar(&s.wrong, "wrong", false, "print the seeds of wrong answers")
	flag.BoolVar(&s.trace, "trace", false, "print every decision; use with -trials 1 -j 1 and -seed")
	flag.StringVar(&s.calibration, "calibration", "", "write the calibration curve to this SVG file")
	flag.StringVar(&s.confidence, "confidence", "normal", "quick, normal or strict")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

func run(s settings) error {
	noises, err := enginetest.ParseNoises(s.noise)
	if err != nil {
		return err
	}
	lists := make([][]float64, 4)
	for i, text := range []string{s.n, s.d, s.build, s.broken} {
		if lists[i], err = numbers(text); err != nil {
			return err
		}
	}
	for _, n := range lists[0] {
		if n < 1 || n > 1e6 {
			return fmt.Errorf("checking -n: %v candidates, 1 to 1,000,000 can be simulated", n)
		}
	}
	for _, b := range lists[3] {
		if b >= 1 {
			return fmt.Errorf("checking -broken: a share of %v, it must be below 1", b)
		}
	}
	for name := range strings.SplitSeq(s.planner, ",") {
		if _, err := maker(name); err != nil {
			return err
		}
	}
	printer := newPrinter(s)
	printer.head()
	var cells []enginetest.Cell
	for _, n := range lists[0] {
		for _, d := range lists[1] {
			for _, build := range lists[2] {
				for _, broken := range lists[3] {
					for _, noise := range noises {
						p := enginetest.Problem{
							N: int(n), D: d, Noise: noise, Broken: broken, Build: build,
							TwoStep: s.two, MaxRuns: s.maxRuns, Options: s.options(),
						}
						row, err := s.row(p, printer)
						if err != nil {
							return err
						}
						cells = append(cells, row...)
					}
				}
			}
		}
	}
	if s.calibration != "" {
		return os.WriteFile(s.calibration, []byte(calibrationSVG(cells)), 0o644)
	}
	return nil
}

func (s settings) options() search.Options {
	o := enginetest.DefaultOptions()
	o.Workers, o.All, o.WarmupRuns, o.Confidence = s.workers, s.all, s.warmup, s.confidence
	return o
}

// row simulates one family with every planner.
func (s settings) row(p enginetest.Problem, out *printer) ([]enginetest.Cell, error) {
	var cells []enginetest.Cell
	for name := range strings.SplitSeq(s.planner, ",") {
		mk, err := maker(name)
		if err != nil {
			return nil, err
		}
		if s.trace {
			plain := mk
			mk = func(w *enginetest.World) search.Planner { return tracer{plain(w), w} }
		}
		p.Options.Strategy = name
		c, err := enginetest.Simulate(p, name, mk, s.trials, s.seed, s.j)
		if err != nil {
			return nil, fmt.Errorf("simulating %s with %s: %w", p.Noise, name, err)
		}
		out.cell(c)
		cells = append(cells, c)
	}
	return cells, nil
}

func maker(name string) (enginetest.MakePlanner, error) {
	switch name {
	case "adaptive":
		return func(*enginetest.World) search.Planner { return search.Adaptive{} }, nil
	case "classic":
		return func(*enginetest.World) search.Planner { return search.Classic{} }, nil
	case "git1", "git5":
		runs := int(name[3] - '0')
		return func(w *enginetest.World) search.Planner {
			return enginetest.GitBisect{Runs: runs, Threshold: w.Threshold()}
		}, nil
	case "bayes":
		return func(w *enginetest.World) search.Planner {
			return enginetest.Bayes{Threshold: w.Threshold(), Stop: 0.95, MaxRuns: 400}
		}, nil
	}
	return nil, fmt.Errorf("planner %q is none of adaptive, classic, git1, git5, bayes", name)
}

func numbers(list string) ([]float64, error) {
	var out []float64
	for text := range strings.SplitSeq(list, ",") {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || x < 0 {
			return nil, fmt.Errorf("reading %q in %q: not a number ≥ 0", text, list)
		}
		out = append(out, x)
	}
	return out, nil
}
