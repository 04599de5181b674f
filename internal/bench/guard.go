package bench

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"perfbisect/internal/proc"
)

// Conditions is the state of the machine at one moment.
type Conditions struct {
	CPU CPU `json:"cpu"`
	// GPUs is empty where there is none or nothing tells about it.
	GPUs []GPU `json:"gpus,omitempty"`
	// Mark says why a run started although the GPU was not fit, as "hot: …" or
	// "throttled: …", and is "" otherwise. A marked run was still made: throwing
	// runs away for ever ends with no result at all.
	Mark string `json:"mark,omitempty"`
}

// Guard reads the state of GPUs and CPU. It reads sysfs each time, and asks
// amd-smi, rocm-smi or nvidia-smi, which take up to a second of CPU, at most once
// in ToolEvery. Its methods may be called concurrently.
type Guard struct {
	// Supervisor runs the tools; nil means that sysfs alone is read.
	Supervisor *proc.Supervisor
	// Env is where the tools are looked up and run.
	Env []string
	// MaxTempC is the temperature above which a run waits, at most MaxWait, looking
	// again every Poll; 0 means no waiting.
	MaxTempC      float64
	MaxWait, Poll time.Duration
	// ToolEvery is the least time between two questions to a tool; 0 means
	// DefaultToolEvery, negative means never to ask one.
	ToolEvery time.Duration
	// Sys and Proc are /sys and /proc if empty.
	Sys, Proc string

	mu    sync.Mutex
	asked map[string]time.Time // by tool
}

// Defaults of a Guard.
const (
	DefaultToolEvery = 30 * time.Second
	DefaultPoll      = 2 * time.Second
	// toolTimeout bounds one question to a tool: on a hung GPU they hang too.
	toolTimeout = 10 * time.Second
)

// Read returns the state of the machine now.
func (g *Guard) Read(ctx context.Context) Conditions {
	return g.read(ctx, "amd-smi", "rocm-smi", "nvidia-smi")
}

// read asks the first of tools that answers, if it is time to, and sysfs otherwise.
func (g *Guard) read(ctx context.Context, tools ...string) Conditions {
	c := Conditions{CPU: readCPU(or(g.Sys, "/sys"), or(g.Proc, "/proc")), GPUs: readSysfs(or(g.Sys, "/sys"))}
	for _, tool := range tools {
		if gpus := g.ask(ctx, tool); len(gpus) > 0 {
			c.GPUs = gpus
			break
		}
	}
	return c
}

// Cool waits until no GPU is hotter than MaxTempC, or held down by heat, for at
// most MaxWait, and returns the last reading, marked if the wait was in vain.
func (g *Guard) Cool(ctx context.Context) Conditions {
	if g.MaxTempC <= 0 {
		return g.Read(ctx)
	}
	return waitCool(ctx, g.Read, g.MaxTempC, g.MaxWait, max(g.Poll, 0))
}

// waitCool is Cool with the reading given.
func waitCool(ctx context.Context, read func(context.Context) Conditions, limitC float64, maxWait, poll time.Duration) Conditions {
	if poll == 0 {
		poll = DefaultPoll
	}
	start := time.Now()
	for {
		c := read(ctx)
		why := tooHot(c.GPUs, limitC)
		if why == "" {
			return c
		}
		left := maxWait - time.Since(start)
		if left <= 0 {
			c.Mark = fmt.Sprintf("%s, after %v of waiting", why, time.Since(start).Round(time.Second))
			return c
		}
		select {
		case <-time.After(min(poll, left)):
		case <-ctx.Done():
			c.Mark = why
			return c
		}
	}
}

// tooHot returns the reasons of all devices, "" if there is none.
func tooHot(gpus []GPU, limitC float64) string {
	var reasons []string
	for _, g := range gpus {
		if why := g.hotter(limitC); why != "" {
			reasons = append(reasons, why)
		}
	}
	return strings.Join(reasons, "; ")
}

// ask reads the devices by a tool, if it is there, it is time to, and it answers.
func (g *Guard) ask(ctx context.Context, tool string) []GPU {
	every := g.ToolEvery
	if every == 0 {
		every = DefaultToolEvery
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	last, before := g.asked[tool]
	if g.Supervisor == nil || every < 0 || before && time.Since(last) < every || which(g.Env, tool) == "" {
		return nil
	}
	if g.asked == nil {
		g.asked = map[string]time.Time{}
	}
	g.asked[tool] = time.Now()
	switch tool {
	case "amd-smi":
		return g.askAMDSMI(ctx)
	case "rocm-smi":
		return g.askROCmSMI(ctx)
	}
	return g.askNvidia(ctx)
}

func (g *Guard) askAMDSMI(ctx context.Context) []GPU {
	text, ok := g.output(ctx, "amd-smi", "metric", "--json")
	if !ok {
		return nil
	}
	list, err := parseAMDSMI(text)
	if err != nil {
		return nil
	}
	if text, ok := g.output(ctx, "amd-smi", "process", "--json"); ok {
		processes, _ := parseAMDProcesses(text) // without them the reading is still one
		for i := range list {
			list[i].Processes = processes[list[i].Index]
		}
	}
	return list
}

func (g *Guard) askROCmSMI(ctx context.Context) []GPU {
	text, ok := g.output(ctx, "rocm-smi", "--showtemp", "--showclocks", "--showuse", "--showpower", "--showproductname", "--json")
	if !ok {
		return nil
	}
	list, _ := parseROCmSMI(text)
	return list
}

func (g *Guard) askNvidia(ctx context.Context) []GPU {
	text, ok := g.output(ctx, nvidiaQuery(false)...)
	if !ok {
		if text, ok = g.output(ctx, nvidiaQuery(true)...); !ok {
			return nil
		}
	}
	list, at, err := parseNvidia(text)
	if err != nil {
		return nil
	}
	if text, ok := g.output(ctx, nvidiaProcessQuery()...); ok {
		_ = addNvidiaProcesses(text, list, at) // without them the reading is still one
	}
	return list
}

// output runs a tool and returns what it printed, if it ended well.
func (g *Guard) output(ctx context.Context, argv ...string) (string, bool) {
	r, err := g.Supervisor.Run(ctx, proc.Command{Argv: argv, Env: g.Env, Timeout: toolTimeout})
	return string(r.Stdout.Bytes()), err == nil && r.StartError == "" && !r.TimedOut && r.ExitCode == 0
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
