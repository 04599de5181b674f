package metric

import "strings"

// Polarity says which direction is better; empty when unknown.
type Polarity string

// The polarities.
const (
	Unknown Polarity = ""
	Lower   Polarity = "lower"
	Higher  Polarity = "higher"
)

// wordPolarity holds the words of a label that tell which direction is better.
var wordPolarity = polarityTable(map[Polarity]string{
	Lower: `time latency duration elapsed runtime wall walltime real user sys took cost delay overhead stall stalls
		error err errors fail failures spill spills spilled miss misses conflicts conflict ttft tpot itl e2el ttfp rtf
		cycles waves loss regression stddev jitter lat bytes memory footprint registers vgpr sgpr vgprs sgprs
		scratch power energy temperature perplexity ppl slowdown durations rss`,
	Higher: `throughput bandwidth flops gflops tflops mflops pflops fps speedup speed ops qps rps tps iops rate hits hit
		efficiency utilization occupancy tops gops mlups glups gups bw algbw busbw mfu perf performance score ipc
		goodput acceptance accuracy tokens_per_second mteps gteps membw`,
})

func polarityTable(words map[Polarity]string) map[string]Polarity {
	t := map[string]Polarity{}
	for p, list := range words {
		for _, w := range strings.Fields(list) {
			t[w] = p
		}
	}
	return t
}

// unitPolarity returns the direction that a unit alone tells.
func unitPolarity(u unit) Polarity {
	switch u.si {
	case "s", "B", "J", "W", "°C":
		return Lower
	case "1/s", "B/s", "bit/s", "FLOP/s", "OP/s", "x":
		return Higher
	}
	return Unknown
}

// polarityOf returns the direction for a label and a unit. A rate or a time
// tells by its unit; otherwise the last telling word of the label does, since
// the head of an English noun phrase comes last ("memory bandwidth",
// "throughput loss").
func polarityOf(words []string, u unit) Polarity {
	if p := unitPolarity(u); p != Unknown && u.si != "x" {
		return p
	}
	for i := len(words) - 1; i >= 0; i-- {
		if p, ok := wordPolarity[words[i]]; ok {
			if words[i] == "rate" && i > 0 && wordPolarity[words[i-1]] == Lower {
				return Lower // error rate, miss rate
			}
			return p
		}
	}
	return unitPolarity(u)
}
