package tools

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// spoken is one progress message and when it was sent.
type spoken struct {
	at       time.Duration
	progress float64
	text     string
}

// listen makes a speaker whose messages are kept.
func listenTo(heard *[]spoken) *speaker {
	p := &speaker{start: time.Now(), text: "bisect_status is working", leave: func() { time.Sleep(flushFor) }}
	p.send = func(progress float64, text string) {
		*heard = append(*heard, spoken{time.Since(p.start), progress, text})
	}
	return p
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []spoken
		p := listenTo(&heard)
		ctx := context.WithValue(t.Context(), speakerKey{}, p)
		stop := p.beat(ctx)
		say(ctx, "step 1/7 a1b2c3d: run 1 of 3") // what the app says at once
		for i := range 1000 {                    // a busy second
			time.Sleep(time.Millisecond)
			say(ctx, fmt.Sprintf("run %d", i))
		}
		p.mu.Lock()
		busy := len(heard)
		p.mu.Unlock()
		time.Sleep(44 * time.Second) // nothing new
		stop()
		p.flush()

		if heard[0].at != 0 || heard[0].text != "step 1/7 a1b2c3d: run 1 of 3" {
			t.Errorf("the first message is %+v, want the first status at 0 s", heard[0])
		}
		if busy > 4 {
			t.Errorf("%d messages in a busy second: they would fill the session's queue", busy)
		}
		last := spoken{}
		for _, m := range heard {
			if m.at-last.at > 10*time.Second {
				t.Errorf("silence of %v before %+v", m.at-last.at, m)
			}
			if m.progress <= last.progress {
				t.Errorf("progress %v after %v does not grow", m.progress, last.progress)
			}
			last = m
		}
		if 45*time.Second-last.at > 10*time.Second || last.text != "run 999" {
			t.Errorf("the last message is %+v, want the newest status within 10 s of the end", last)
		}
	})
}

// TestShortCall: a call that says nothing and ends soon sends nothing.
func TestShortCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []spoken
		p := listenTo(&heard)
		stop := p.beat(t.Context())
		time.Sleep(4 * time.Second)
		stop()
		before := time.Now()
		p.flush()
		if len(heard) != 0 || time.Since(before) != 0 {
			t.Errorf("said %v and took %v", heard, time.Since(before))
		}
	})
}

// TestLastWord: what was held back is sent before the answer.
func TestLastWord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []spoken
		p := listenTo(&heard)
		p.say("one")
		p.say("two")
		before := time.Now()
		p.flush()
		if len(heard) != 2 || heard[1].text != "two" || time.Since(before) != flushFor {
			t.Errorf("said %v and took %v", heard, time.Since(before))
		}
	})
}

func TestSayWithoutToken(t *testing.T) {
	say(t.Context(), "nobody asked") // must not panic
}
