package demo

import (
	"fmt"
	"testing"
)

func TestMake(t *testing.T) {
	r, err := Make(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if r.Commits < 40 {
		t.Errorf("%d commits, want at least 40", r.Commits)
	}
	subject, err := r.git(t.Context(), nil, "log", "-1", "--format=%s", r.Culprit)
	if err != nil || subject != plantedSubject+"\n" {
		t.Errorf("the culprit is %q (%v), want %q", subject, err, plantedSubject)
	}
	n, err := r.git(t.Context(), nil, "rev-list", "--count", r.Good+".."+r.Bad)
	if want := fmt.Sprintf("%d\n", r.Commits); err != nil || n != want {
		t.Errorf("git counts %q commits after %s (%v), want %q", n, r.Good, err, want)
	}
}
