package demo

import "fmt"

// plantedSubject is the commit that costs a quarter: K is 256, so rounding it
// up to tiles of 320 in place of 64 makes every dot product 25 % longer.
const plantedSubject = "config: widen the K tile to one pass over the LDS banks"

// changes is the history after the first commit.
func changes() []change {
	all := []change{
		readme("build", "Build with `go build`, run `./gemm`."),
		{"epilogue: describe alpha", "epilogue.go", "// epilogue scales the result.", "// epilogue scales the result by alpha."},
		readme("output", "The benchmark prints the median of its repetitions, against a reference loop."),
		{"kernel: say what padding means", "kernel.go", "both padded in k.", "both padded with zeros in k."},
		{"main: keep the warm-up apart", "main.go", "	var ratios []float64\n", "	gemm(c, a, b, sizeM, sizeN, k) // warm-up\n	var ratios []float64\n"},
		{"config: name the element size", "config.go", "", "\n// elementBytes is the size of one element.\nconst elementBytes = 4\n"},
		helper("flops", "flops counts multiply-adds as two operations.", "2 * float64(m) * float64(n) * float64(k)"),
		{"main: count operations in one place", "main.go", "2*sizeM*sizeN*sizeK/t/1e9", "flops(sizeM, sizeN, sizeK)/t/1e9"},
		readme("sizes", "Sizes are constants in config.go."),
		helper("traffic", "traffic is the bytes that an ideal kernel moves.", "elementBytes * float64(m*k+k*n+m*n)"),
		{"main: print the traffic", "main.go", "}\n\n// referenceTime", "	fmt.Printf(\"traffic: %.0f bytes\\n\", traffic(sizeM, sizeN, sizeK))\n}\n\n// referenceTime"},
		{"epilogue: take beta", "epilogue.go", "", "\n// withBeta adds beta times the former content.\nfunc withBeta(c, old []float32, beta float32) {\n	for i := range c {\n		c[i] += beta * old[i]\n	}\n}\n"},
		readme("layout", "Matrices are row-major."),
	}
	all = append(all, broken()...)
	all = append(all,
		helper("intensity", "intensity is operations per byte.", "flops(m, n, k) / traffic(m, n, k)"),
		readme("roofline", "Compare throughput and traffic with the roofline of your machine."),
		change{"kernel: let tile take slices", "kernel.go", "// tile computes one tile of c.", "// tile computes one tile of c; the slices overlap."},
		change{"main: add the pattern", "main.go", "", "\n// pattern is small and has both signs.\nfunc pattern(i int) float32 { return float32(i%7) - 3 }\n"},
		change{"main: name the fill pattern", "main.go", "v[i] = float32(i%7) - 3", "v[i] = pattern(i)"},
	)
	for i := range 7 {
		all = append(all, readme(fmt.Sprintf("question %d", i+1), faq[i]))
	}
	all = append(all,
		helper("tiles", "tiles counts the tiles of the result.", "float64(m/tileM) * float64(n/tileN)"),
		change{plantedSubject, "config.go", "	tileK = 64\n", "	tileK = 320\n"},
		helper("ldsBytes", "ldsBytes is what one tile would take in LDS.", "elementBytes * float64((tileM+tileN)*k+m*0+n*0)"),
	)
	for i := range 9 {
		all = append(all, readme(fmt.Sprintf("note %d", i+1), notes[i]))
	}
	return append(all,
		change{"epilogue: guard the empty matrix", "epilogue.go", "func epilogue(c []float32, alpha float32) {\n", "func epilogue(c []float32, alpha float32) {\n	if len(c) == 0 {\n		return\n	}\n"},
		helper("bankConflicts", "bankConflicts is how many rows share a bank.", "float64(m%32) + 0*float64(n+k)"),
		readme("thanks", "Thanks to everybody who measured."),
	)
}

// broken is a stretch of commits that do not compile: a helper is renamed in
// one commit and its caller four commits later.
func broken() []change {
	return []change{
		{"config: call padding by its name", "config.go", "func paddedK(k int) int {", "func padK(k int) int {"},
		readme("padding", "K is padded to whole tiles."),
		{"kernel: order the loops in the comment", "kernel.go", "// dot multiplies", "// dot, the inner loop, multiplies"},
		readme("status", "A stand-in for a GPU kernel; do not use it for work."),
		{"main: follow the new name", "main.go", "k := paddedK(sizeK)", "k := padK(sizeK)"},
	}
}

func readme(topic, text string) change {
	return change{"readme: " + topic, "README.md", "", "\n" + text + "\n"}
}

func helper(name, doc, value string) change {
	return change{
		"model: add " + name, "model.go", "",
		fmt.Sprintf("\n// %s\nfunc %s(m, n, k int) float64 { return %s }\n", doc, name, value),
	}
}

var faq = []string{
	"Why single precision? Because the kernel it stands for is.", "Why no goroutines? One wave is enough to see a change.",
	"Why tiles at all? To have something to get wrong.", "Why a reference loop? Because other work slows both down alike.",
	"Why so many repetitions? They take a few milliseconds each.", "Why Go? It is there.", "Why zeros as padding? They add nothing.",
}

var notes = []string{
	"The epilogue is not part of the roofline.", "Throughput counts useful operations only.", "Alpha is 0.5 in the benchmark.",
	"The pattern repeats every seven elements.", "Rows of a are contiguous.", "Columns of b are not.",
	"The result is not checked here.", "Tiles must divide m and n.", "Clock changes show up in every number.",
}
