package amdgpu

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// maxFiles bounds a walk over something that is no dump directory.
const maxFiles = 1 << 18

// found is one regular file of a walk.
type found struct {
	rel, full string
	real      string // without symbolic links
}

// directory reads all files below root that hold AMDGPU code.
func (l *loader) directory(root string) error {
	var files []found
	if err := l.walk(root, "", &files); err != nil {
		l.s.problem(Unreadable, "", "", reason(err))
		return err
	}
	for _, f := range l.newestStages(oncePerFile(files)) {
		l.walked(f)
	}
	l.sideCars(root)
	return nil
}

// walk lists the regular files below dir in order of their names. Links to
// files are followed, links to directories are not: they may lead back, or out.
func (l *loader) walk(root, rel string, files *[]found) error {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(rel)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		f := found{rel: path.Join(rel, e.Name()), full: filepath.Join(root, filepath.FromSlash(rel), e.Name())}
		if e.IsDir() {
			if err := l.walk(root, f.rel, files); err != nil {
				l.s.problem(Unreadable, f.rel, "", reason(err))
			}
			continue
		}
		info, err := os.Stat(f.full)
		switch {
		case err != nil:
			l.unreadable(f.rel, err)
		case info.IsDir():
			l.s.Skipped = append(l.s.Skipped, Skip{f.rel, "a link to a directory is not followed"})
		case !info.Mode().IsRegular():
			l.s.Skipped = append(l.s.Skipped, Skip{f.rel, "not a regular file"})
		case len(*files) >= maxFiles:
			l.s.problem(TooLarge, "", "", fmt.Sprintf("over %d files", maxFiles))
			return nil
		default:
			l.files++
			if f.real, err = filepath.EvalSymlinks(f.full); err != nil {
				f.real = f.full
			}
			*files = append(*files, f)
		}
	}
	return nil
}

func (l *loader) unreadable(rel string, err error) {
	if promiseOf(rel) == nothing {
		l.s.Skipped = append(l.s.Skipped, Skip{rel, reason(err)})
		return
	}
	l.s.problem(Unreadable, rel, "", reason(err))
}

// oncePerFile drops all but one of the names that lead to the same file. The
// one whose name promises most stays, then the first.
func oncePerFile(files []found) []found {
	best := map[string]int{}
	for i, f := range files {
		j, ok := best[f.real]
		if !ok || promiseOf(f.rel) > promiseOf(files[j].rel) {
			best[f.real] = i
		}
	}
	var out []found
	for i, f := range files {
		if best[f.real] == i {
			out = append(out, f)
		}
	}
	return out
}

var stageName = regexp.MustCompile(`^(?:0*([0-9]+)_)?(.*final_isa\.s)(\.gz)?$`)

// newestStages keeps one NN_final_isa.s of each directory: the one with the
// highest number, compared as a number. The number varies between runs and
// nothing cleans a dump directory, so the others are stale.
func (l *loader) newestStages(files []found) []found {
	best := map[string]found{}
	for _, f := range files {
		if key, ok := stageKey(f.rel); ok {
			old, seen := best[key]
			if !seen || compareStages(f.rel, old.rel) > 0 {
				best[key] = f
			}
		}
	}
	return slices.DeleteFunc(files, func(f found) bool {
		key, ok := stageKey(f.rel)
		if !ok || best[key] == f {
			return false
		}
		l.s.Warnings = append(l.s.Warnings, fmt.Sprintf("stale_stage_file: %s: %s is newer", f.rel, path.Base(best[key].rel)))
		l.s.Skipped = append(l.s.Skipped, Skip{f.rel, "an older stage of the same dump"})
		return true
	})
}

func stageKey(rel string) (string, bool) {
	m := stageName.FindStringSubmatch(path.Base(rel))
	if m == nil {
		return "", false
	}
	return path.Dir(rel) + "/" + m[2], true
}

// compareStages orders by the number (no number is lowest), and prefers the
// unpacked one of equals.
func compareStages(a, b string) int {
	x, y := stageName.FindStringSubmatch(path.Base(a)), stageName.FindStringSubmatch(path.Base(b))
	return cmp.Or(cmp.Compare(len(x[1]), len(y[1])), strings.Compare(x[1], y[1]), cmp.Compare(len(y[3]), len(x[3])), strings.Compare(a, b))
}

// walked reads one file of a directory, if it can hold AMDGPU code.
func (l *loader) walked(f found) {
	if promiseOf(f.rel) == nothing {
		if why := sniff(f.full); why != "" {
			l.s.Skipped = append(l.s.Skipped, Skip{f.rel, why})
			return
		}
	}
	data, err := readFile(f.full)
	if err != nil {
		l.unreadable(f.rel, err)
		return
	}
	l.budget = unpackBudget(len(data))
	l.file(f.rel, data, false, 0)
}

// sideCar is what we read of a Triton cache's <kernel>.json.
type sideCar struct {
	Name   string `json:"name"`
	Shared *int64 `json:"shared"`
}

// sideCars adds LDS that only the launcher knows: Triton declares its shared
// memory as an external array of no size and states it beside the code.
func (l *loader) sideCars(root string) {
	for i := range l.s.Kernels {
		k := &l.s.Kernels[i]
		rel, _, _ := strings.Cut(k.File, "#")
		name := filepath.Join(root, filepath.FromSlash(strings.TrimSuffix(rel, path.Ext(rel))+".json"))
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
			continue
		}
		data, err := readFile(name)
		var car sideCar
		if err != nil || json.Unmarshal(data, &car) != nil || car.Shared == nil || *car.Shared < 0 || car.Name != "" && car.Name != k.Name {
			continue
		}
		k.LDSLaunchBytes = *car.Shared
		k.Notes = nil
		k.setOccupancy()
		k.setNotes()
	}
}
