package tools

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// pending counts the requests of a client that are not answered yet, so that
// the end of its input does not cut off what it asked just before.
type pending struct {
	mu   sync.Mutex
	open map[string]bool
	none chan struct{} // closed when open becomes empty; nil when nobody waits
}

// head is what tells a request from a response and a notification.
type head struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// asked notes a message of the client.
func (p *pending) asked(line []byte) {
	var h head
	if json.Unmarshal(line, &h) != nil || h.Method == "" || len(h.ID) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[string]bool{}
	}
	p.open[string(h.ID)] = true
}

// answered notes a message to the client.
func (p *pending) answered(message []byte) {
	var h head
	if json.Unmarshal(message, &h) != nil || h.Method != "" {
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
