package app

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"perfbisect/amdgpu"
	"perfbisect/internal/gitrepo"
)

// Refs lists the tags and branches of the repository in the working folder
// that begin with prefix, for completion. No repository is no answer.
func (a *App) Refs(ctx context.Context, prefix string) []string {
	repo, err := gitrepo.Open(ctx, ".")
	if err != nil || a.allowed(repo.Root()) != nil {
		return nil
	}
	refs, err := repo.Refs(ctx)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(refs, func(r string) bool { return !strings.HasPrefix(r, prefix) })
}

// completedRuns bounds the runs whose kernels are looked up for completion.
const completedRuns = 5

// Kernels lists the kernels in the snapshots of the newest runs that begin with
// prefix, for completion.
func (a *App) Kernels(_ context.Context, prefix string) []string {
	ids, err := a.store.IDs()
	if err != nil {
		return nil
	}
	var names []string
	for _, id := range ids[:min(len(ids), completedRuns)] {
		run, err := a.store.Open(id)
		if err != nil {
			continue
		}
		files, _ := filepath.Glob(filepath.Join(globEscape(run.Dir), "isa-*.json")) // the pattern is ours
		for _, file := range files {
			s, _ := amdgpu.Load(file)
			for _, k := range s.Kernels {
				if strings.HasPrefix(k.Name, prefix) && !slices.Contains(names, k.Name) {
					names = append(names, k.Name)
				}
			}
		}
	}
	sort.Strings(names)
	return names
}

// maxLogPart bounds what Log shows of one command's output, in bytes.
const maxLogPart = 64 << 10

// Log writes the output of a run's commands to w, oldest first: the last tail
// lines, or with tail 0 the end of each command's output.
func (a *App) Log(_ context.Context, id string, tail int, w io.Writer) error {
	run, err := a.store.Open(id)
	if err != nil {
		return err
	}
	files, err := logFiles(run.LogDir())
	if err != nil {
		return fmt.Errorf("reading the logs of run %s: %w", run.ID, err)
	}
	var lines []string
	for i := len(files) - 1; i >= 0 && (tail == 0 || len(lines) < tail); i-- {
		part, err := lastPart(files[i].path)
		if err != nil {
			return fmt.Errorf("reading the logs of run %s: %w", run.ID, err)
		}
		rel, _ := filepath.Rel(run.LogDir(), files[i].path) // both are absolute
		lines = append(append([]string{"== " + rel}, part...), lines...)
	}
	if tail > 0 && len(lines) > tail {
		lines = lines[len(lines)-tail:]
	}
	_, err = io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

type logFile struct {
	path string
	when time.Time
}

// logFiles lists the files with output, oldest first.
func logFiles(dir string) ([]logFile, error) {
	paths, err := filepath.Glob(filepath.Join(globEscape(dir), "*", "*"))
	if err != nil {
		return nil, err
	}
	var files []logFile
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			files = append(files, logFile{p, info.ModTime()})
		}
	}
	sort.Slice(files, func(i, j int) bool {
		if !files[i].when.Equal(files[j].when) {
			return files[i].when.Before(files[j].when)
		}
		return files[i].path < files[j].path
	})
	return files, nil
}

// lastPart returns the last lines of a file.
func lastPart(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-maxLogPart)
	data, err := io.ReadAll(io.NewSectionReader(f, from, maxLogPart))
	if err != nil {
		return nil, err
	}
	text := strings.ToValidUTF8(strings.TrimRight(string(data), "\n"), "\uFFFD")
	if _, rest, cut := strings.Cut(text, "\n"); cut && from > 0 {
		text = rest
	}
	return strings.Split(text, "\n"), nil
}
