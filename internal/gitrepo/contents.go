package gitrepo

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// ChangedPaths maps each commit of good..bad to the paths that differ from its
// first parent, at most `most` of them. One git process looks at all commits.
func (r *Repo) ChangedPaths(ctx context.Context, good, bad string, firstParent bool, most int) (map[string][]string, error) {
	if err := checkHashes(good, bad); err != nil {
		return nil, fmt.Errorf("listing changed paths: %w", err)
	}
	c := r.git()
	c.flags = []string{"-c", "core.quotePath=false"}
	args := []string{"log", "--format=%x00%H", "--name-only", "--no-renames", "--diff-merges=first-parent", "--no-ext-diff", "--ignore-submodules=none"}
	if firstParent {
		args = append(args, "--first-parent")
	}
	changed := map[string][]string{}
	err := c.stream(ctx, func(out io.Reader) error {
		commit := ""
		return eachLine(out, func(line string) {
			if hash, ok := strings.CutPrefix(line, "\x00"); ok {
				commit, changed[hash] = hash, nil
			} else if line != "" && len(changed[commit]) < most {
				changed[commit] = append(changed[commit], strings.Clone(line))
			}
		})
	}, append(args, "--end-of-options", good+".."+bad, "--")...)
	return changed, err
}

func eachLine(in io.Reader, f func(string)) error {
	b := bufio.NewReader(in)
	for {
		line, err := b.ReadString('\n')
		if line != "" {
			f(strings.TrimSuffix(line, "\n"))
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Contents names what each commit has at the literal paths, so that commits with
// equal names have equal files there, the submodules pinned below them included.
// A path that a commit lacks, or that is itself a submodule, is like no other.
// Without paths it is the whole tree. One git process answers for all commits.
func (r *Repo) Contents(ctx context.Context, commits, paths []string) ([]string, error) {
	if err := checkHashes(commits...); err != nil {
		return nil, fmt.Errorf("comparing trees: %w", err)
	}
	if len(paths) == 0 {
		paths = []string{""}
	}
	var ask strings.Builder
	for _, hash := range commits {
		for _, path := range paths {
			if strings.ContainsAny(path, "\n\x00") {
				return nil, fmt.Errorf("comparing trees: path %q has a newline", path)
			}
			fmt.Fprintf(&ask, "%s:%s\n", hash, path)
		}
	}
	c := r.git()
	c.stdin = strings.NewReader(ask.String())
	answers := make([]strings.Builder, len(commits))
	n := 0
	err := c.stream(ctx, func(out io.Reader) error {
		return eachLine(out, func(line string) {
			if i := n / len(paths); i < len(answers) {
				if !isHexHash(line) {
					line = commits[i] // git says "missing" of a submodule as well
				}
				answers[i].WriteString(line + " ")
			}
			n++
		})
	}, "cat-file", "--batch-check=%(objectname)")
	if err == nil && n != len(commits)*len(paths) {
		err = fmt.Errorf("comparing trees: git answered %d of %d questions", n, len(commits)*len(paths))
	}
	contents := make([]string, len(commits))
	for i := range answers {
		contents[i] = answers[i].String()
	}
	return contents, err
}
