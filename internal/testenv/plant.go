package testenv

import (
	"fmt"
	"strconv"
	"strings"
)

// Plan of a repository for hunts: N commits after the good one, the file
// "speed" saying how long the benchmark takes, in milliseconds.
type Plant struct {
	N       int
	Culprit int // 1 … N: from here on it is slow; 0: never
	Good    float64
	Bad     float64
	Broken  [2]int // first and last position that does not build; 0: none
	Merge   int    // position that merges a branch of four commits, of which the second is the culprit; 0: none
}

// Commits lists the commits of the plan, the good one first. The culprit of a
// merge is the third commit from the end of the list's branch part, which
// CulpritIndex finds.
func (p Plant) Commits() []Commit {
	if p.Good == 0 {
		p.Good, p.Bad = 10, 13
	}
	list := []Commit{{Subject: "good", Files: map[string]string{"speed": ms(p.Good), "readme": "a\n"}}}
	last := 0
	for i := 1; i <= p.N; i++ {
		c := Commit{Subject: fmt.Sprintf("commit %d", i), Parents: []int{last}, Files: map[string]string{"readme": fmt.Sprintf("%d\n", i)}}
		p.change(&c, i)
		if i == p.Merge {
			list = append(list, p.branch(last, len(list))...)
			c.Subject, c.Parents = "merge the branch", []int{last, len(list) - 1}
			c.Files["speed"] = ms(p.Bad)
			for b := 1; b <= 4; b++ {
				c.Files[fmt.Sprintf("branch%d", b)] = "x\n"
			}
		}
		list = append(list, c)
		last = len(list) - 1
	}
	return list
}

func (p Plant) change(c *Commit, i int) {
	if i == p.Culprit {
		c.Subject, c.Files["speed"] = "widen the accumulator", ms(p.Bad)
	}
	if p.Broken[0] > 0 && i == p.Broken[0] {
		c.Files["broken"] = "it does not build\n"
	}
	if p.Broken[1] > 0 && i == p.Broken[1]+1 {
		c.Remove = []string{"broken"}
	}
}

// branch lists four commits from base on, the second of which is slow.
func (p Plant) branch(base, next int) []Commit {
	var list []Commit
	parent := base
	for b := 1; b <= 4; b++ {
		c := Commit{Subject: fmt.Sprintf("branch %d", b), Parents: []int{parent}, Files: map[string]string{fmt.Sprintf("branch%d", b): "x\n"}}
		if b == 2 {
			c.Subject, c.Files["speed"] = "widen the accumulator", ms(p.Bad)
		}
		list = append(list, c)
		parent = next + b - 1
	}
	return list
}

func ms(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) + "\n" }

// CulpritIndex returns the index in commits of the one that is to be found.
func CulpritIndex(commits []Commit) int {
	for i, c := range commits {
		if strings.HasPrefix(c.Subject, "widen") {
			return i
		}
	}
	return -1
}
