package app

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

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
	Parent string `json:"parent,omitempty"` // run whose culprit this one looks into
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
			if paths[i], err = filepath.Abs(paths[i]); err != nil {
				return fmt.Errorf("finding %q: %w", paths[i], err)
			}
		}
	}
	return nil
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
