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
	"unicode/utf8"
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
		l.notISA(name, "the file is empty", explicit)
	case bytes.HasPrefix(data, []byte(gzipMagic)):
		l.gzip(name, data, explicit, depth)
	case isCodeObject(data):
		m := parseELF(name, data)
		l.add(m, func() map[string]string { return objectHashes(m, data) })
	case isELF(data):
		l.hostELF(name, data, explicit, depth)
	case bytes.HasPrefix(data, []byte(bundleMagic)), bytes.HasPrefix(data, []byte(compressedMagic)):
		l.bundles(name, data, depth)
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

// textMarkers stand at the start of a line in AMDGPU assembly, and in the MLIR
// or IR that embeds it only inside strings.
var textMarkers = []string{".amdgcn_target", ".amdgpu_metadata", ".amdhsa_kernel", ".amdhsa_code_object_version", ".amdgpu_hsa_kernel", ".hsa_code_object_version", ".amd_amdgpu_isa", ".amdgpu_pal_metadata"}

func isAMDGPUText(data []byte) bool {
	for _, m := range textMarkers {
		for from := 0; ; {
			i := bytes.Index(data[from:], []byte(m))
			if i < 0 {
				break
			}
			i += from
			if _, ok := lineStart(data, i); ok {
				return true
			}
			from = i + len(m)
		}
	}
	return false
}

// lineStart is where the line of offset i starts, if only blanks stand before
// i. It looks at no more than those: a line may be as long as the file.
func lineStart(data []byte, i int) (int, bool) {
	for i > 0 && (data[i-1] == ' ' || data[i-1] == '\t' || data[i-1] == '\r') {
		i--
	}
	return i, i == 0 || data[i-1] == '\n'
}

// describe says in words what a file is instead of AMDGPU code.
func describe(data []byte) string {
	head := data[:min(len(data), 4096)]
	switch {
	case bytes.HasPrefix(head, []byte("BC\xc0\xde")):
		return "LLVM bitcode"
	case bytes.HasPrefix(head, []byte("!<arch>\n")):
		return "a static archive; extract its members"
	case isHostText(data):
		return "host assembly"
	case bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(head[:bytes.LastIndexByte(head, '\n')+1]):
		return "binary data without a known magic number"
	case bytes.Contains(head, []byte("gpu.module")) || bytes.Contains(head, []byte("gpu.binary")) || bytes.Contains(head, []byte("module attributes")):
		return "MLIR text, not assembly"
	}
	return "text without AMDGPU assembly directives"
}

func isHostText(data []byte) bool {
	head := data[:min(len(data), 1<<16)]
	for _, m := range []string{".cfi_startproc", "%rsp", "%rbp", "%rdi", "%eax", ".arch armv", "\tx29,"} {
		if bytes.Contains(head, []byte(m)) {
			return true
		}
	}
	return false
}

// notISA records a file without AMDGPU code: a problem if the user or its name
// promised some, else a skip.
func (l *loader) notISA(name, why string, explicit bool) {
	promise := promiseOf(name)
	host := why == "host assembly" || strings.Contains(path.Base(name), "-host-")
	switch {
	case explicit, promise == promised, promise == likely && !host && !strings.HasPrefix(why, "ELF"):
		l.s.problem(NotAMDGPU, name, "", why)
		return
	case promise == likely:
		l.looked++
		l.s.Warnings = append(l.s.Warnings, "skipped_file: "+name+": "+why)
	}
	l.s.Skipped = append(l.s.Skipped, Skip{name, why})
}

// promise is what a file's name says about its content.
type promise uint8

const (
	nothing  promise = iota
	likely           // .s, .o and the like: device or host
	promised         // names that only device code has
)

func promiseOf(name string) promise {
	base := strings.TrimSuffix(path.Base(name), ".gz")
	if strings.HasSuffix(base, "final_isa.s") {
		return promised
	}
	switch path.Ext(base) {
	case ".amdgcn", ".hsaco", ".co", ".rocmasm", ".gcn", ".hipfb":
		return promised
	case ".s", ".S", ".asm", ".o", ".out", ".isa", ".so", ".exe":
		return likely
	}
	return nothing
}

func (l *loader) gzip(name string, data []byte, explicit bool, depth int) {
	plain, err := gunzip(data)
	if err != nil {
		l.s.problem(classOf(err), name, "", err.Error())
		return
	}
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

func (l *loader) hostELF(name string, data []byte, explicit bool, depth int) {
	if fat := hostFatBinary(data); fat != nil {
		l.bundles(name, fat, depth)
		return
	}
	if class, what := elfDamage(data); isELF64(data) && class != "" || len(data) < 64 {
		// It may have held device code: a skip would hide that.
		if explicit || promiseOf(name) != nothing {
			l.s.problem(class, name, "", what)
			return
		}
	}
	l.notISA(name, "ELF for another machine, without device code that is read", explicit)
}

// add takes the kernels of one module; hash is called only when asked for.
func (l *loader) add(m *module, hash func() map[string]string) {
	first := len(l.s.Kernels)
	l.s.add(m)
	if !l.hash {
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

// finish says why there is no kernel, if there is none, and settles keys.
func (l *loader) finish(what string) {
	if len(l.s.Kernels) == 0 && len(l.s.Problems) == 0 {
		switch {
		case l.files == 0 && what == "the directory":
			l.s.problem(InputEmpty, "", "", "the directory holds no files")
		case l.looked > 0:
			l.s.problem(NotAMDGPU, "", "", fmt.Sprintf("%d files are named like code, none of them is AMDGPU code", l.looked))
		case len(l.s.Skipped) == l.files && l.files > 0:
			l.s.problem(NoISAFound, "", "", fmt.Sprintf("no AMDGPU code in %d files", l.files))
		default:
			l.s.problem(NoKernels, "", "", what+" holds AMDGPU code without kernels")
		}
	}
	l.s.merge()
	l.s.finish()
}
