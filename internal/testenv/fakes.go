package testenv

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"
)

// FakeBuild is a build: it fails where the file "broken" is, and otherwise
// copies "speed" to "built", as a compiler would make a program of it. It takes
// FAKEBUILD_SLEEP_MS.
func FakeBuild() int {
	time.Sleep(time.Duration(envFloat("FAKEBUILD_SLEEP_MS", 0) * float64(time.Millisecond)))
	if _, err := os.Stat("broken"); err == nil {
		fmt.Fprintln(os.Stderr, "speed:1: syntax error")
		return 1
	}
	data, err := os.ReadFile("speed")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := os.WriteFile("built", data, 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// FakeBench is a benchmark: it prints the time in "built", or "speed" where
// nothing was built, with noise. Environment: FAKEBENCH_NOISE is the relative
// standard deviation (0.01), FAKEBENCH_RUNS a file in which the runs are counted
// (then the noise of each follows from its number, and a hunt done again meets
// the same), FAKEBENCH_GATE a file to wait for, FAKEBENCH_SLEEP_MS how long it
// really takes, and FAKEBENCH_DO a misbehaviour: fail, hang, silent, crash.
func FakeBench() int {
	data, err := os.ReadFile("built")
	if err != nil {
		data, err = os.ReadFile("speed")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(string(data)), 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	time.Sleep(time.Duration(envFloat("FAKEBENCH_SLEEP_MS", 0) * float64(time.Millisecond)))
	if gate := os.Getenv("FAKEBENCH_GATE"); gate != "" {
		if err := Eventually(func() bool { _, err := os.Stat(gate); return err == nil }); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if code := misbehave(os.Getenv("FAKEBENCH_DO")); code != 0 {
		return code
	}
	random, err := source(os.Getenv("FAKEBENCH_RUNS"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	value *= math.Exp(envFloat("FAKEBENCH_NOISE", 0.01) * random.NormFloat64())
	fmt.Printf("device 0: warm\nlatency: %.5f ms\n", value)
	return 0
}

// source is seeded with how many runs the file counts, this one added, and at
// random without a file.
func source(file string) (*rand.Rand, error) {
	if file == "" {
		return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), nil
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.WriteString("."); err != nil {
		return nil, err
	}
	runs, err := f.Seek(0, io.SeekCurrent)
	return rand.New(rand.NewPCG(uint64(runs), 1)), err
}

func misbehave(how string) int {
	switch how {
	case "fail":
		fmt.Fprintln(os.Stderr, "assertion failed")
		return 1
	case "hang":
		time.Sleep(time.Hour)
	case "silent":
		os.Exit(0)
	case "crash":
		panic("crash")
	}
	return 0
}

func envFloat(name string, otherwise float64) float64 {
	if v, err := strconv.ParseFloat(os.Getenv(name), 64); err == nil {
		return v
	}
	return otherwise
}
