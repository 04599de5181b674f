package tools

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"perfbisect/engine"
	"perfbisect/internal/app"
)

// watchTurn is how long one wait of a watched run lasts, watchPause how long a
// run that waits for somebody is left alone: waiting for it returns at once.
const (
	watchTurn  = 30 * time.Second
	watchPause = 2 * time.Second
)

// subscriptions are the run:// resources that clients want to hear about.
// mcp-go acknowledges a subscription and tracks none.
type subscriptions struct {
	group sync.WaitGroup
	mu    sync.Mutex
	by    map[string]map[subscriber]bool // run id → who wants to know of which URI
}

// subscriber is one URI that one client subscribed to. stream is the id of its
// subscriptions/listen request, nil before protocol 2026-07-28.
type subscriber struct {
	session server.ClientSession
	uri     string
	stream  any
}

// hooks follow what mcp-go does without us.
func (s *Server) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterListResources(s.listResources)
	h.AddAfterSubscribe(func(ctx context.Context, _ any, req *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		s.subscribe(ctx, subscriber{server.ClientSessionFromContext(ctx), req.Params.URI, nil})
	})
	h.AddAfterUnsubscribe(func(ctx context.Context, _ any, req *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		s.unsubscribe(subscriber{server.ClientSessionFromContext(ctx), req.Params.URI, nil})
	})
	h.AddBeforeSubscriptionsListen(func(ctx context.Context, id any, req *mcp.SubscriptionsListenRequest) {
		for _, uri := range req.Params.Notifications.ResourceSubscriptions {
			sub := subscriber{server.ClientSessionFromContext(ctx), uri, id}
			s.subscribe(ctx, sub)
			context.AfterFunc(ctx, func() { s.unsubscribe(sub) })
		}
	})
	h.AddAfterSubscriptionsListen(func(ctx context.Context, _ any, _ *mcp.SubscriptionsListenRequest, _ *mcp.SubscriptionsListenResult) {
		flush(ctx) // a subscription to nothing ends at once and would overtake its acknowledgement
	})
	h.AddOnUnregisterSession(func(_ context.Context, session server.ClientSession) { s.forget(session) })
	return h
}

// runOfURI is the run of a run:// URI; "" for another URI.
func runOfURI(uri string) string {
	rest, ok := strings.CutPrefix(uri, "run://")
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// subscribe adds sub and starts watching its run when it is the first. What
// happens after subscribe has returned will be announced.
func (s *Server) subscribe(ctx context.Context, sub subscriber) {
	id := runOfURI(sub.uri)
	if id == "" || sub.session == nil {
		return
	}
	st, err := s.svc.Status(ctx, id)
	if err != nil {
		return // nothing there to watch
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	if s.subs.by == nil {
		s.subs.by = map[string]map[subscriber]bool{}
	}
	if s.subs.by[id] == nil {
		s.subs.by[id] = map[subscriber]bool{}
		s.subs.group.Go(func() { s.watch(id, fingerprint(st)) })
	}
	s.subs.by[id][sub] = true
}

func (s *Server) unsubscribe(sub subscriber) {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	delete(s.subs.by[runOfURI(sub.uri)], sub)
}

func (s *Server) forget(session server.ClientSession) {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	for _, subs := range s.subs.by {
		for sub := range subs {
			if sub.session == session {
				delete(subs, sub)
			}
		}
	}
}

// watch tells the subscribers of a run whenever it changes, until it has ended
// or nobody wants to know. seen is its state when the first subscribed.
func (s *Server) watch(id, seen string) {
	news := func(st *app.Status) {
		if now := fingerprint(st); now != seen {
			seen = now
			s.announce(id)
		}
	}
	for s.wanted(id) {
		st, err := s.svc.Wait(s.life, id, watchTurn, news)
		if err != nil || s.life.Err() != nil {
			break
		}
		news(st)
		if st.State.Ended() || st.State != engine.Measuring && !s.rest(watchPause) {
			break
		}
	}
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	delete(s.subs.by, id)
}

// rest sleeps, and reports false when the server ends meanwhile.
func (s *Server) rest(d time.Duration) bool {
	clock := time.NewTimer(d)
	defer clock.Stop()
	select {
	case <-clock.C:
		return true
	case <-s.life.Done():
		return false
	}
}

// fingerprint changes whenever a report would.
func fingerprint(st *app.Status) string {
	return fmt.Sprint(st.State, st.Progress.StepsDone, st.Progress.Runs, st.Progress.Builds, st.Progress.Left, len(st.Warnings), st.Question != nil)
}

// wanted reports whether a run has subscribers; when it has none it is
// forgotten, so that a later subscriber starts a new watch.
func (s *Server) wanted(id string) bool {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	if len(s.subs.by[id]) > 0 {
		return true
	}
	delete(s.subs.by, id)
	return false
}

// announce sends notifications/resources/updated to the subscribers of a run.
func (s *Server) announce(id string) {
	s.subs.mu.Lock()
	defer s.subs.mu.Unlock()
	for sub := range s.subs.by[id] {
		params := mcp.NotificationParams{AdditionalFields: map[string]any{"uri": sub.uri}}
		if sub.stream != nil {
			params.Meta = map[string]any{mcp.MetaKeySubscriptionID: sub.stream}
		}
		select {
		case sub.session.NotificationChannel() <- mcp.JSONRPCNotification{
			JSONRPC:      mcp.JSONRPC_VERSION,
			Notification: mcp.Notification{Method: mcp.MethodNotificationResourceUpdated, Params: params},
		}:
		default: // its queue is full: it will hear the next one
		}
	}
}
