package testenv

import (
	"errors"
	"time"
)

// Eventually waits until cond holds, for at most five minutes: the machine may be
// a busy one.
func Eventually(cond func() bool) error {
	deadline := time.Now().Add(5 * time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		if time.Now().After(deadline) {
			return errors.New("waiting for a condition: it does not hold after five minutes")
		}
		<-tick.C
	}
	return nil
}
