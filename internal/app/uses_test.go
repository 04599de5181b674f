package app

import (
	"slices"
	"testing"
)

// TestUses: the tables of the uses name options that there are.
func TestUses(t *testing.T) {
	known := func(name string) bool {
		return slices.ContainsFunc(Options(), func(o Option) bool { return o.Name == name })
	}
	for use, names := range usedBy {
		for _, name := range names {
			if !known(name) {
				t.Errorf("use %d: %s is no option", use, name)
			}
		}
		if len(OptionsFor(use)) != len(names) {
			t.Errorf("use %d: %d options, want %d", use, len(OptionsFor(use)), len(names))
		}
		for name := range usage[use] {
			if !slices.Contains(names, name) {
				t.Errorf("use %d: words for %s, which it does not have", use, name)
			}
		}
	}
	if len(OptionsFor(UseSearch)) != len(Options()) {
		t.Error("a search does not have all options")
	}
}
