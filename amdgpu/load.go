package amdgpu

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxFile bounds one file, so that reading a directory of something else
// entirely ends.
const maxFile = 2 << 30

// Load reads a dump directory, a file of assembly, a code object, an offload
// bundle, a host object with device code, or a snapshot, plain or gzipped. It
// goes by content; names only break ties.
//
// The error says that path itself cannot be read. The snapshot is never nil:
// with an error it holds the matching problem, so that Compare still answers.
// Whatever else is wrong is in Snapshot.Problems.
func Load(name string) (*Snapshot, error) { return load(name, false) }

// LoadBytes reads one file's content. name is used for messages and for what
// its extension promises; no other file is looked at.
func LoadBytes(name string, data []byte) (*Snapshot, error) {
	l := &loader{s: new(Snapshot), files: 1}
	if bytes.Contains(data, []byte("/*")) {
		data = bytes.Clone(data) // comments are blanked in place
	}
	l.budget = unpackBudget(len(data))
	l.file(path.Base(filepath.ToSlash(name)), data, true, 0)
	l.finish("the file")
	return l.s, nil
}

// ComparePaths loads both sides and compares them. It never fails: a side that
// cannot be read is a problem of the Diff.
func ComparePaths(before, after string, o Options) *Diff {
	b, _ := Load(before)
	a, _ := Load(after)
	return Compare(b, a, o)
}

func load(name string, hash bool) (*Snapshot, error) {
	l := &loader{s: new(Snapshot), hash: hash}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		class := Unreadable
		if errors.Is(err, fs.ErrNotExist) {
			class = InputMissing
		}
		l.s.problem(class, filepath.Base(name), "", reason(err))
	case info.IsDir():
		err = l.directory(name)
		l.finish("the directory")
	default:
		err = l.single(name)
		l.finish("the file")
	}
	return l.s, err
}

// reason is an error without the path, which the caller names.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Op + ": " + p.Err.Error()
	}
	return err.Error()
}

type loader struct {
	s      *Snapshot
	hash   bool // compute Kernel.hash
	files  int  // regular files seen
	looked int  // files that looked like AMDGPU code but were something else

	modules int      // units of AMDGPU code read
	pending []string // images that only the linker makes code of
	budget  int64    // bytes that the file at hand may still unpack to
}

func (l *loader) single(name string) error {
	data, err := readFile(name)
	base := filepath.Base(name)
	if err != nil {
		class := Unreadable
		if errors.Is(err, errTooLarge) {
			class = TooLarge
		}
		l.s.problem(class, base, "", reason(err))
		return err
	}
	l.files++
	l.budget = unpackBudget(len(data))
	l.file(base, data, true, 0)
	return nil
}

var errTooLarge = fmt.Errorf("over the limit of %d bytes", maxFile)

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > maxFile:
		return nil, errTooLarge
	}
	// One read of the known size: growing a buffer would double the memory.
	data := make([]byte, info.Size())
	n, err := io.ReadFull(f, data)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

// file dispatches on content. explicit says that the user named this file, so
// that finding nothing in it is a problem and not a skip.
func (l *loader) file(name string, data []byte, explicit bool, depth int) {
	if depth > maxNesting {
		l.s.problem(TooLarge, name, "", fmt.Sprintf("containers nested over %d deep", maxNesting))
		return
	}
	switch {
	case len(data) == 0:
		l.notISA(name, emptyFile, explicit)
	case bytes.HasPrefix(data, []byte(gzipMagic)):
		l.gzip(name, data, explicit, depth)
	case isCodeObject(data):
		m := parseELF(name, data)
		l.add(m, func() map[string]string { return objectHashes(m, data) })
	case isELF(data):
		l.hostELF(name, data, explicit, depth)
	case isArchive(data):
		l.archive(name, data, depth)
	case isBitcode(data):
		l.unlinked(name, bitcode)
	case isContainer(data), bytes.HasPrefix(data, []byte(compressedMagic)):
		n := l.nest(name, depth)
		n.containers(data)
		n.finish()
	case explicit && (strings.HasSuffix(name, ".json") || bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n\xef\xbb\xbf"), []byte("{"))):
		l.s.readJSON(name, data)
	case isTextBundle(data):
		l.textBundle(name, data)
	case isAMDGPUText(data):
		l.text(name, data)
	default:
		l.notISA(name, describe(data), explicit)
	}
}

func (l *loader) gzip(name string, data []byte, explicit bool, depth int) {
	plain, err := gunzip(data, min(unpackLimit(len(data)), l.budget))
	if err != nil {
		l.s.problem(classOf(err), name, "", err.Error())
		return
	}
	l.budget -= int64(len(plain))
	l.file(strings.TrimSuffix(name, ".gz"), plain, explicit, depth+1)
}

// classOf tells bombs from damage.
func classOf(err error) Class {
	switch {
	case errors.Is(err, errBomb):
		return TooLarge
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Truncated
	}
	return BadBundle
}

// add takes the kernels of one module; hash is called only when asked for.
func (l *loader) add(m *module, hash func() map[string]string) {
	if m.unlinked != "" && len(m.problems) == 0 {
		l.unlinked(m.file, m.unlinked)
		return
	}
	first := len(l.s.Kernels)
	l.modules++
	l.s.add(m)
	if !l.hash || len(m.problems) > 0 {
		return
	}
	hashes := hash()
	for i := first; i < len(l.s.Kernels); i++ {
		l.s.Kernels[i].hash = hashes[l.s.Kernels[i].Name]
	}
}

func (l *loader) text(name string, data []byte) {
	for _, r := range parseText(name, data) {
		l.add(r.m, r.hashes)
	}
}

// bitcode is the reason not to read LLVM bitcode.
const bitcode = "LLVM bitcode: no code before it is linked; read the linked program, library or device image"

func isBitcode(b []byte) bool {
	return bytes.HasPrefix(b, []byte("BC\xc0\xde")) || bytes.HasPrefix(b, []byte("\xde\xc0\x17\x0b"))
}

// unlinked skips device code that only the linker finishes. Alone it is a
// problem; beside code that was read, as --save-temps leaves it, a warning.
func (l *loader) unlinked(name, why string) {
	l.pending = append(l.pending, name)
	l.skipImage(name, why)
}

// skipImage skips device code: kernels that nothing is known of.
func (l *loader) skipImage(name, why string) {
	l.s.unread = name
	l.s.Skipped = append(l.s.Skipped, Skip{name, why})
}

// finish says why there is no kernel, if there is none, and settles keys.
func (l *loader) finish(what string) {
	if len(l.s.Kernels) == 0 && len(l.s.Problems) == 0 {
		c, text := l.nothing(what)
		l.s.problem(c, "", "", text)
	} else if len(l.pending) > 0 {
		l.s.Warnings = append(l.s.Warnings, fmt.Sprintf("unlinked: %s and %d more: not compared, as only the linker finishes them", l.pending[0], len(l.pending)-1))
	}
	l.s.merge()
	l.s.finish()
}

// nothing says why there is no kernel where nothing else is wrong.
func (l *loader) nothing(what string) (Class, string) {
	switch {
	case l.files == 0 && what == "the directory":
		return InputEmpty, "the directory holds no files"
	case len(l.pending) > 0:
		return Unlinked, fmt.Sprintf("%d images of device code are not linked yet, such as %s; read the linked program, library or device image", len(l.pending), l.pending[0])
	case l.modules > 0:
		return NoKernels, what + " holds AMDGPU code without kernels"
	case l.looked > 0:
		return NotAMDGPU, fmt.Sprintf("%d files are named like code, none of them is AMDGPU code", l.looked)
	}
	return NoISAFound, fmt.Sprintf("no AMDGPU code in %d files; skipped: %d, such as %s", l.files, len(l.s.Skipped), firstSkip(l.s.Skipped))
}

func firstSkip(list []Skip) string {
	if len(list) == 0 {
		return "none"
	}
	return list[0].File + " (" + list[0].Reason + ")"
}
