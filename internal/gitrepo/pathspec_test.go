package gitrepo

import "testing"

func TestHas(t *testing.T) {
	r := newRepo(t)
	c := r.commit("first", "src/a b.hip", "x\n")
	repo := r.open()
	for _, tt := range []struct {
		path string
		want bool
		why  string
	}{
		{"src", true, "a folder"},
		{"src/", true, "a folder with its slash"},
		{"src/a b.hip", true, "a file"},
		{"*.hip", true, "a pattern"},
		{"nope", false, "nothing"},
		{"src/a", false, "a part of a name"},
		{"*.cu", false, "a pattern of nothing"},
	} {
		if got, err := repo.Has(t.Context(), c, tt.path); err != nil || got != tt.want {
			t.Errorf("%q: %v, %v, want %v: %s", tt.path, got, err, tt.want, tt.why)
		}
	}
}
