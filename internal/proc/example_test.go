package proc_test

import (
	"context"
	"fmt"
	"time"

	"perfbisect/internal/proc"
)

func ExampleSupervisor_Run() {
	ctx := context.Background()
	s, err := proc.StartSupervisor(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	r, err := s.Run(ctx, proc.Command{
		Argv:    proc.Shell("echo started; setsid sleep 600 & sleep 600"),
		Timeout: 3 * time.Second,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("timed out: %v, ended by %s, printed %q, left running: %d\n", r.TimedOut, r.Signal, r.Stdout.Bytes(), r.Unkillable)
	// Output: timed out: true, ended by SIGTERM, printed "started\n", left running: 0
}
