package testenv

import (
	"fmt"
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
// standard deviation (0.01), FAKEBENCH_SLEEP_MS how long it really takes, and
// FAKEBENCH_DO a misbehaviour: fail, hang, silent, crash.
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
	if code := misbehave(os.Getenv("FAKEBENCH_DO")); code != 0 {
		return code
	}
	value *= math.Exp(envFloat("FAKEBENCH_NOISE", 0.01) * rand.NormFloat64())
	fmt.Printf("device 0: warm\nlatency: %.5f ms\n", value)
	return 0
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
