package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"perfbisect/engine/enginetest"
)

func TestCalibrationIsWellFormed(t *testing.T) {
	cells := []enginetest.Cell{{Planner: "adaptive", Points: []enginetest.Point{{Stated: 0.99, Right: true}, {Stated: 0.6}, {Stated: 1, Right: true}}}, {Planner: "bayes"}}
	svg := calibrationSVG(cells)
	if n := strings.Count(svg, "<circle"); n != 3 {
		t.Errorf("%d dots, want one a bin with answers: 3", n)
	}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestFlagsAreChecked(t *testing.T) {
	for _, s := range []settings{
		{noise: "fog", n: "8", d: "2", build: "0", broken: "0", planner: "adaptive"},
		{noise: "gauss", n: "many", d: "2", build: "0", broken: "0", planner: "adaptive"},
		{noise: "gauss", n: "8", d: "-1", build: "0", broken: "0", planner: "adaptive"},
		{noise: "gauss", n: "8", d: "2", build: "0", broken: "0", planner: "oracle"},
		{noise: "gauss", n: "0", d: "2", build: "0", broken: "0", planner: "adaptive"},
		{noise: "gauss", n: "8", d: "2", build: "0", broken: "1", planner: "adaptive"},
	} {
		if err := run(s); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}
