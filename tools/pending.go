package tools

import (
	"context"
	"sync"
	"time"
)

// pending are the requests of a client that are not answered yet, so that the
// end of its input does not cut off what it asked just before, and those of the
// server that the client has not answered. Ids are as they stand in JSON.
type pending struct {
	mu   sync.Mutex
	open map[string]bool // the client's
	ours map[string]bool // the server's
	none chan struct{}   // closed when open becomes empty; nil when nobody waits
}

// asked notes a message of the client, and reports whether it is one that the
// server has a use for: not an answer to what it never asked; see softened.
func (p *pending) asked(h *head) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := string(h.ID)
	switch {
	case h.response():
		wanted := p.ours[id]
		delete(p.ours, id)
		return wanted
	case h.request():
		if p.open == nil {
			p.open = map[string]bool{}
		}
		p.open[id] = true
	}
	return true
}

// asks notes a message to the client before it is sent.
func (p *pending) asks(h *head) {
	if !h.request() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ours == nil || len(p.ours) > queue {
		p.ours = map[string]bool{}
	}
	p.ours[string(h.ID)] = true
}

// answered notes a message to the client after it was sent.
func (p *pending) answered(h *head) {
	if h.Method != "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, string(h.ID))
	if len(p.open) == 0 && p.none != nil {
		close(p.none)
		p.none = nil
	}
}

// drain waits until everything is answered, at most d.
func (p *pending) drain(ctx context.Context, d time.Duration) {
	p.mu.Lock()
	if len(p.open) == 0 {
		p.mu.Unlock()
		return
	}
	none := make(chan struct{})
	p.none = none
	p.mu.Unlock()
	clock := time.NewTimer(d)
	defer clock.Stop()
	select {
	case <-none:
	case <-clock.C:
	case <-ctx.Done():
	}
}
