package session

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInbox(t *testing.T) {
	_, r := newRun(t)
	want := []Request{{Action: "mark", Commit: "c", Verdict: "bad"}, {Action: "step", Steps: 3}, {Action: "pause"}}
	for _, q := range want {
		if _, err := r.Send(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(r.Dir, "inbox", "0.json"), []byte("{torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, r.Peek()); diff != "" {
		t.Errorf("peeked (-want +got):\n%s", diff)
	}
	var got []Request
	enough := errors.New("enough")
	err := r.Receive(func(q Request) error {
		if got = append(got, q); len(got) == 2 {
			return enough
		}
		return nil
	})
	if diff := cmp.Diff(want[:2], got); diff != "" || !errors.Is(err, enough) {
		t.Errorf("received %v (-want +got):\n%s", err, diff)
	}
	keep := func(q Request) error { got = append(got, q); return nil }
	if err := r.Receive(keep); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("received in all (-want +got):\n%s", diff)
	}
	if err := r.Receive(keep); len(got) > 3 || err != nil {
		t.Errorf("received again: %v %v", got, err)
	}
}

// TestInboxKilled: a request that was being obeyed when we were killed is not
// obeyed twice.
func TestInboxKilled(t *testing.T) {
	_, r := newRun(t)
	file, err := r.Send(Request{Action: "undo"})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Receive(func(Request) error {
		if Obeyed(file) {
			t.Error("obeyed before it is")
		}
		return os.Link(file+taken, file+".kept")
	})
	if err != nil || !Obeyed(file) {
		t.Fatal(err)
	}
	if err := os.Rename(file+".kept", file+taken); err != nil {
		t.Fatal(err)
	}
	if err := r.Receive(func(q Request) error { t.Errorf("obeyed again: %v", q); return nil }); err != nil || !Obeyed(file) {
		t.Errorf("after a kill: %v", err)
	}
}
