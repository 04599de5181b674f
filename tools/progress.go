package tools

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	// beatEvery is how often a call that waits says that it is alive. Over HTTP
	// Claude Code gives a response up that has no byte for 60 s.
	beatEvery = 5 * time.Second
	// notBefore is the shortest time between two messages, so that a busy run
	// cannot fill the session's queue of 100.
	notBefore = 500 * time.Millisecond
	// flushFor lets the last message leave before the response: mcp-go v1.2.1
	// sends them on two goroutines and drops what the other has not written yet.
	flushFor = 10 * time.Millisecond
	// drainFor is how long a session's queue may take to become empty before.
	drainFor = 100 * time.Millisecond
)

// speaker sends the progress of one call to its client. All methods of a nil
// speaker do nothing: the client gave no token.
type speaker struct {
	send  func(progress float64, message string)
	leave func() // lets what was sent leave
	start time.Time

	mu   sync.Mutex
	last time.Time // of the last message; zero: none yet
	text string
	sent string
}

type speakerKey struct{}

// speak starts the progress messages of a call, when its client asked for them.
// The caller must call quiet before it answers.
func (s *Server) speak(ctx context.Context, name string, req mcp.CallToolRequest) (_ context.Context, quiet func()) {
	if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return ctx, func() {}
	}
	token := req.Params.Meta.ProgressToken
	to := server.ServerFromContext(ctx)
	p := &speaker{start: time.Now(), text: name + " is working", leave: func() { flush(ctx) }, send: func(progress float64, message string) {
		// A full queue or a client that has gone is not this call's business.
		_ = to.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": token, "progress": progress, "message": message,
		})
	}}
	ctx = context.WithValue(ctx, speakerKey{}, p)
	stop := p.beat(ctx)
	return ctx, func() {
		stop()
		p.flush()
	}
}

// say tells the client of this call what is going on, at once unless it heard
// something just now.
func say(ctx context.Context, message string) {
	if p, ok := ctx.Value(speakerKey{}).(*speaker); ok {
		p.say(message)
	}
}

func (p *speaker) say(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = message
	if message != p.sent && time.Since(p.last) >= notBefore {
		p.out()
	}
}

// out sends the current text. The progress value is the seconds of this call:
// it must grow with every message, and how far a run has come does not always.
func (p *speaker) out() {
	p.last, p.sent = time.Now(), p.text
	p.send(float64(p.last.Sub(p.start).Microseconds()+1)/1e6, p.text)
}

// beat repeats the current text whenever nothing was said for beatEvery.
func (p *speaker) beat(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(beatEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.repeat()
			case <-done:
				return
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		close(done)
		group.Wait()
	}
}

func (p *speaker) repeat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.last) >= beatEvery-notBefore {
		p.out()
	}
}

// flush sends what was not said yet and lets it leave.
func (p *speaker) flush() {
	p.mu.Lock()
	if !p.last.IsZero() && p.text != p.sent {
		p.out()
	}
	recent := time.Since(p.last) < time.Second
	p.mu.Unlock()
	if recent {
		p.leave()
	}
}

// flush waits until the notifications sent to the client of ctx are on their
// way, for a moment.
func flush(ctx context.Context) {
	if session := server.ClientSessionFromContext(ctx); session != nil {
		for end := time.Now().Add(drainFor); len(session.NotificationChannel()) > 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
	time.Sleep(flushFor)
}

// elapsed is a duration for people.
func elapsed(d time.Duration) string { return fmt.Sprintf("%d s", int(d.Seconds()+0.5)) }
