package tools

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// serveEnv makes the test binary a server with a fake app, for tests that need
// a process: the transport, or "stdio-readonly".
const serveEnv = "PERFBISECT_TEST_SERVE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(serveEnv); mode != "" {
		if err := serveFake(mode); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func serveFake(mode string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	f := newFake()
	f.pace = 50 * time.Millisecond
	s := New(f, Options{Version: "test", ReadOnly: mode == "stdio-readonly"})
	defer s.Close()
	switch mode {
	case "http", "sse":
		return ServeHTTP(ctx, s, HTTPOptions{Transport: mode, Addr: os.Getenv("PERFBISECT_TEST_ADDR"), TokenFile: os.Getenv("PERFBISECT_TEST_TOKEN_FILE")})
	}
	return ServeStdio(ctx, s, os.Stdin, os.Stdout)
}
