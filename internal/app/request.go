package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"perfbisect/engine"
	"perfbisect/internal/session"
)

// asked is spec.json: what the user asked for, and what the names meant then.
type asked struct {
	Spec   Spec   `json:"spec"`
	Root   string `json:"root,omitempty"` // of the repository
	Good   string `json:"good_hash,omitempty"`
	Bad    string `json:"bad_hash,omitempty"`
	Kind   string `json:"kind,omitempty"`   // "" a hunt, "compare" a measurement
	Parent string `json:"parent,omitempty"` // run that this one works for
	// Revs are the other revisions that the spec names, so that a branch that
	// moves, or HEAD in in-place mode, means the same after a restart.
	Revs map[string]string `json:"revs,omitempty"`

	Inside  bool     `json:"inside,omitempty"`  // it is a part of its parent's work, with the parent's tree
	Commits []string `json:"commits,omitempty"` // of a measurement, when they are more than the ends
	Outer   *outer   `json:"outer,omitempty"`   // where the tree comes from, when the commits are those of a dependency
}

// otherRevs lists the revisions that s names beside its ends, by option.
func (s *Spec) otherRevs() map[string][]string {
	revs := map[string][]string{"skip": s.Skip}
	if rev, _, _ := strings.Cut(s.BenchFrom, ":"); rev != "" {
		revs["bench-from"] = []string{rev}
	}
	for _, text := range s.BuildFor {
		span, _, _ := strings.Cut(text, "=")
		for _, rev := range strings.SplitN(span, "..", 2) {
			if rev != "" {
				revs["build-for"] = append(revs["build-for"], rev)
			}
		}
	}
	return revs
}

// hash returns the commit that a revision of the spec meant when it was asked.
func (h *hunt) hash(ctx context.Context, rev string) (string, error) {
	if hash := h.asked.Revs[rev]; hash != "" {
		return hash, nil
	}
	return h.repo.Resolve(ctx, rev)
}

func readAsked(r *session.Run) (asked, error) {
	data, err := r.Spec()
	if err != nil {
		return asked{}, err
	}
	q := asked{Spec: DefaultSpec()}
	if err := json.Unmarshal(data, &q); err != nil {
		return asked{}, fmt.Errorf("reading spec.json of run %s: %w", r.ID, err)
	}
	return q, nil
}

// absolutize makes every path of s independent of the working folder.
func (s *Spec) absolutize() error {
	root, err := filepath.Abs(s.Repo)
	if err != nil {
		return fmt.Errorf("finding repository %q: %w", s.Repo, err)
	}
	s.Repo = root
	for _, paths := range [][]string{s.Patch, s.Nested} {
		for i := range paths {
			if paths[i], err = s.absolute(paths[i]); err != nil {
				return err
			}
		}
	}
	for i, overlay := range s.Overlay {
		src, dest := splitOverlay(overlay)
		if src, err = s.absolute(src); err != nil {
			return err
		}
		if dest != "" {
			dest = ":" + dest
		}
		s.Overlay[i] = src + dest
	}
	return nil
}

// absolute finds a path that the user gave in the current folder or, since a
// server's is not the user's, in the repository.
func (s *Spec) absolute(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("finding %q: %w", path, err)
	}
	if _, err := os.Lstat(abs); err != nil && !filepath.IsAbs(path) {
		return filepath.Join(s.Repo, path), nil
	}
	return abs, nil
}

// splitOverlay reads SRC[:DEST]. A colon in the name of a file that exists
// separates nothing.
func splitOverlay(overlay string) (src, dest string) {
	if _, err := os.Lstat(overlay); err == nil {
		return overlay, ""
	}
	i := strings.LastIndexByte(overlay, ':')
	if i < 0 {
		return overlay, ""
	}
	return overlay[:i], overlay[i+1:]
}

// with returns s as the answers given so far complete it. An answer whose
// question names an argument sets that argument.
func (s Spec) with(events []engine.Event) (Spec, error) {
	s.Path = slices.Clone(s.Path)
	arguments := map[string]string{}
	for _, e := range events {
		switch e.Kind {
		case engine.EventAsked:
			arguments[e.Question.ID] = e.Question.Argument
		case engine.EventAnswered:
			if err := s.apply(arguments[e.QuestionID], e.Answer); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// apply sets the argument that an answer stands for. "none" is the answer for
// "I do not need this".
func (s *Spec) apply(argument, answer string) error {
	if argument == "" || argument == "yes" {
		return nil
	}
	if answer == "none" {
		answer = ""
	}
	return s.Set(argument, answer)
}
