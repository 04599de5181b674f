package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// eventBytes is how much a session may keep for a client that reconnects.
const eventBytes = 1 << 20

// eventStore keeps the newest messages of each HTTP session, so that a client
// whose connection broke gets what it missed. Unlike mcp-go's own store it
// forgets the oldest, so a session that lives for days stays small.
type eventStore struct {
	most int // bytes of a session

	mu   sync.Mutex
	seq  int64
	logs map[string]*eventLog
}

type eventLog struct {
	events []event // oldest first
	bytes  int
}

type event struct {
	id      string
	stream  string
	message json.RawMessage
}

var _ server.EventStore = (*eventStore)(nil)

func newEventStore(most int) *eventStore {
	return &eventStore{most: most, logs: map[string]*eventLog{}}
}

// StoreEvent keeps a message and returns its id.
func (s *eventStore) StoreEvent(_ context.Context, sessionID, streamID string, message json.RawMessage) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.logs[sessionID]
	if l == nil {
		l = &eventLog{}
		s.logs[sessionID] = l
	}
	s.seq++
	e := event{strconv.FormatInt(s.seq, 10), streamID, bytes.Clone(message)}
	l.events = append(l.events, e)
	l.bytes += len(message)
	for l.bytes > s.most && len(l.events) > 1 {
		l.bytes -= len(l.events[0].message)
		l.events[0] = event{}
		l.events = l.events[1:]
	}
	return e.id, nil
}

// ReplayEventsAfter sends what followed lastEventID on its stream.
func (s *eventStore) ReplayEventsAfter(_ context.Context, sessionID, lastEventID string, send func(string, json.RawMessage) error) (string, error) {
	stream, missed, err := s.after(sessionID, lastEventID)
	if err != nil {
		return "", err
	}
	for _, e := range missed {
		if err := send(e.id, e.message); err != nil {
			return "", err
		}
	}
	return stream, nil
}

func (s *eventStore) after(sessionID, lastEventID string) (stream string, missed []event, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := false
	if l := s.logs[sessionID]; l != nil {
		for _, e := range l.events {
			switch {
			case e.id == lastEventID:
				stream, found = e.stream, true
			case found && e.stream == stream:
				missed = append(missed, e)
			}
		}
	}
	if !found {
		return "", nil, fmt.Errorf("%w: %q", server.ErrUnknownEventID, lastEventID)
	}
	return stream, missed, nil
}

// PurgeSession forgets a session.
func (s *eventStore) PurgeSession(_ context.Context, sessionID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.logs, sessionID)
	return nil
}
