package bench

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLockGPUs(t *testing.T) {
	dir := t.TempDir()
	once, cancel := context.WithCancel(t.Context())
	cancel()
	try := func(gpus ...string) error {
		l, err := LockGPUs(once, dir, gpus, "second")
		if err == nil {
			err = l.Unlock()
		}
		return err
	}
	tests := []struct {
		why   string
		held  []string
		want  []string
		taken string // the GPU that the error names, "" for none
	}{
		{"same device", []string{"0"}, []string{"0"}, "0"},
		{"other device", []string{"0"}, []string{"1"}, ""},
		{"overlap", []string{"2", "0"}, []string{"1", "2"}, "2"},
		{"one against all", []string{"0"}, nil, "any"},
		{"all against one", nil, []string{"0"}, "any"},
		{"all against all", nil, nil, "any"},
		{"a device twice", []string{"1"}, []string{"0", "0"}, ""},
		{"a name that is no file name", []string{"GPU-1/../x"}, []string{"GPU-1/../x"}, "GPU-1/../x"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			l, err := LockGPUs(once, dir, tt.held, "first (pid 1)")
			if err != nil {
				t.Fatal(err)
			}
			err = try(tt.want...)
			var locked *LockedError
			switch {
			case tt.taken == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.taken != "" && (!errors.As(err, &locked) || locked.GPU != tt.taken || locked.Owner != "first (pid 1)"):
				t.Errorf("got %v, want %s to be held", err, tt.taken)
			}
			if err := l.Unlock(); err != nil {
				t.Fatal(err)
			}
			if err := try(tt.want...); err != nil {
				t.Errorf("after the release: %v", err)
			}
		})
	}
}

// A waiting hunt gets the lock when the other one lets go.
func TestLockGPUsWaits(t *testing.T) {
	dir := t.TempDir()
	first, err := LockGPUs(t.Context(), dir, []string{"0"}, "first")
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		l, err := LockGPUs(t.Context(), dir, []string{"0"}, "second")
		if err == nil {
			err = l.Unlock()
		}
		got <- err
	}()
	if err := first.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestVisibleGPUs(t *testing.T) {
	tests := []struct {
		why  string
		env  []string
		want []string
	}{
		{"none", nil, nil},
		{"HIP", []string{"HIP_VISIBLE_DEVICES=1, 3"}, []string{"1", "3"}},
		{"CUDA", []string{"CUDA_VISIBLE_DEVICES=GPU-4b2e"}, []string{"GPU-4b2e"}},
		{"HIP counts among ROCR's", []string{"ROCR_VISIBLE_DEVICES=4,5,6", "HIP_VISIBLE_DEVICES=1"}, []string{"5"}},
		{"ROCR alone", []string{"ROCR_VISIBLE_DEVICES=4,5"}, []string{"4", "5"}},
		{"later setting wins", []string{"HIP_VISIBLE_DEVICES=0", "HIP_VISIBLE_DEVICES=2"}, []string{"2"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, VisibleGPUs(tt.env)); diff != "" {
			t.Errorf("%s: %s", tt.why, diff)
		}
	}
}
