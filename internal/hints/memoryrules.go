package hints

import (
	"fmt"
	"slices"
	"strings"
)

// waitRule compares what a wait waits for.
func (fc *fileContext) waitRule(c *change) {
	if !fc.bothHave(c, "wait") && !fc.bothHave(c, "fence") && !fc.bothHave(c, "sync") {
		return
	}
	a, b := withoutStrings(c.gone), withoutStrings(c.came)
	if len(a)+len(b) == 0 {
		return
	}
	e := c.hint("synchronization", 3, "the wait changed")
	x, y, ok := numbersOf(a, b)
	switch {
	case ok && x < 64 && y < 64:
		e.faster, e.reason = y > x, fmt.Sprintf("it waits until %v instead of %v operations are in flight", y, x)
	case isZero(b) && len(a) > 1:
		e.reason = "it waits until nothing is in flight"
	case isZero(a) && len(b) > 1:
		e.faster, e.reason = true, "it no longer waits until nothing is in flight"
	case hasCounter(b) && !hasCounter(a):
		e.reason = "it waits for another counter as well"
	case hasCounter(a) && !hasCounter(b):
		e.faster, e.reason = true, "it waits for fewer counters"
	default:
		e.level = 2
	}
	fc.emit(e)
}

func isZero(ts []token) bool { return len(ts) == 1 && ts[0].text == "0" }

func hasCounter(ts []token) bool {
	return slices.ContainsFunc(ts, func(t token) bool { return strings.HasSuffix(t.text, "cnt") })
}

// syncArgRule compares the arguments of barriers and scheduling hints.
func (fc *fileContext) syncArgRule(c *change) {
	if len(c.gone)+len(c.came) > 6 {
		return
	}
	switch {
	case fc.bothHave(c, "sched") && (hasNumber(c.gone) || hasNumber(c.came)):
		fc.emit(c.hint("scheduling", 3, "the arguments of a scheduling hint changed"))
	case fc.bothHave(c, "barrier") && (hasText(c.gone, "=") || hasText(c.came, "=")):
		e := c.hint("synchronization", 2, "the barrier waits for other memory than before")
		e.faster = strings.Contains(textOf(c.came), "lds") || strings.Contains(textOf(c.came), "local")
		fc.emit(e)
	}
}

// bothHave tells whether both versions of a line hold a counted feature.
func (fc *fileContext) bothHave(c *change, kind string) bool {
	return fc.hasFeature(c.old, kind) && fc.hasFeature(c.new, kind)
}

// memoryOrders ranks orders and, from 11, scopes; a higher one costs more.
var memoryOrders = map[string]int{
	"relaxed": 1, "monotonic": 1, "unordered": 1, "acquire": 2, "release": 2, "acq_rel": 3, "seq_cst": 4,
	"wavefront": 11, "singlethread": 11, "workgroup": 12, "cta": 12, "block": 12, "agent": 13, "gpu": 13, "device": 13, "system": 14, "sys": 14, "all_svm_devices": 14,
}

// orderPrefixes is how languages begin the names of orders and scopes.
var orderPrefixes = []string{"__atomic_", "memory_order_", "memory_scope_", "__hip_memory_scope_", "__memory_scope_", "memory_order::", "__opencl_memory_scope_"}

// orderOf is the rank of the highest order or scope among tokens, 0 if there is none.
func orderOf(ts []token) int {
	top := 0
	for _, t := range ts {
		n := strings.ToLower(t.last())
		for _, p := range orderPrefixes {
			n = strings.TrimPrefix(n, p)
		}
		n = strings.TrimSuffix(strings.TrimSuffix(n, "_one_as"), "-one-as") // scopes of one address space
		top = max(top, memoryOrders[n])
	}
	return top
}

// orderRule finds atomics whose memory order or scope was raised.
func (fc *fileContext) orderRule(c *change) {
	a, b := orderOf(c.gone), orderOf(c.came)
	if fc.lang == langLLVM && isAtomic(c.new.toks) && isAtomic(c.old.toks) {
		a, b = orderOf(c.old.toks), orderOf(c.new.toks)
		if a/10 == 1 && b/10 == 0 {
			b = memoryOrders["system"] // LLVM's scope when none is named
		}
	}
	if a == 0 || b == 0 || a == b || a/10 != b/10 {
		return
	}
	e := c.hint("volatile_atomics", 3, "the memory order or scope of an atomic or fence changed")
	e.faster = b < a
	fc.emit(e)
}

func isAtomic(ts []token) bool { return hasText(ts, "atomicrmw", "cmpxchg", "atomic", "fence") }

// cacheFlagRule compares the flags at the end of an instruction.
func (fc *fileContext) cacheFlagRule(c *change) {
	if fc.lang != langAsm && !fc.hasFeature(c.new, "load") && !fc.hasFeature(c.new, "store") &&
		!(slices.ContainsFunc(c.gone, isCoherence) && slices.ContainsFunc(c.came, isCoherence)) {
		return
	}
	for _, t := range slices.Concat(c.gone, c.came) {
		if cacheFlag[strings.ToLower(t.last())] || strings.HasPrefix(t.text, "th:") || isCoherence(t) {
			fc.emit(c.hint("cache_modifier", 3, "cache flags of an access changed: "+t.text))
			return
		}
	}
}

var cacheFlag = wordSet("glc slc dlc scc nt sc0 sc1 nontemporal")

func isCoherence(t token) bool { return strings.Contains(strings.ToLower(t.text), "coherence") }

var bufferCall = rx(`(?i)(raw_?)?(ptr_?)?buffer_?(load|store)|global_load_lds|load_to_lds`)

// cacheArgRule finds the last argument of a buffer access changed: its cache flags.
func (fc *fileContext) cacheArgRule(c *change) {
	x, y, ok := numbersOf(c.gone, c.came)
	if !ok {
		return
	}
	ts := c.new.toks
	for i := 0; i+1 < len(ts); i++ {
		if ts[i].kind != tokIdent || ts[i+1].text != "(" || !bufferCall.MatchString(ts[i].text) {
			continue
		}
		args := splitArgs(ts[i+2 : closing(ts, i+1)])
		if n := len(args); n > 2 && len(args[n-1]) == 1 && args[n-1][0] == c.came[0] {
			fc.emit(c.hint("cache_modifier", 2, fmt.Sprintf("the cache flags of a buffer access changed from %v to %v", x, y)))
			c.explain()
			return
		}
	}
}

// sharedLoss finds reads of shared memory that became reads of global memory, by
// the names: s_weight[c] became weight[c].
func (fc *fileContext) sharedLoss(c *change) {
	if len(c.gone) != 1 || len(c.came) != 1 || c.gone[0].kind != tokIdent || !hasText(c.new.toks, "[") {
		return
	}
	was, is := c.gone[0].text, c.came[0].text
	switch {
	case slices.ContainsFunc([]string{"s_", "sh_", "smem_", "lds_", "shared_"}, func(pre string) bool { return was == pre+is }):
		fc.emit(c.hint("memory_ops", 2, "the value comes from global instead of shared memory"))
	case was == is+"_nt", was == "nt_"+is:
		fc.emit(c.hint("cache_modifier", 2, "the access is no longer a streaming one"))
	}
}

// registerLoss finds values that a private array kept and that are now read again:
// the declaration of the array is among the removed lines.
func (fc *fileContext) registerLoss(c *change) {
	if c.new.loop != yes || len(subscripts(c.new.toks)) == 0 {
		return
	}
	for _, n := range subscripts(c.old.toks) {
		if !hasText(c.gone, n) || hasText(c.new.toks, n) {
			continue
		}
		for _, l := range c.h.all {
			if l.kind == '-' && isArrayDeclaration(l.toks) && !isShared(l) && hasText(l.toks, n) {
				fc.emit(c.hint("memory_ops", 2, "what the array "+n+" kept is read from memory again"))
				return
			}
		}
	}
}
