package amdgpu

import (
	"bytes"
	"io"
	"os"
	"path"
	"strings"
	"unicode/utf8"
)

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
	case isBitcode(head):
		return bitcode
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
	host := why == "host assembly" || strings.Contains(path.Base(name), "-host-") || why == emptyFile && isTempObject(name)
	switch {
	case explicit, promise == promised, promise == likely && !host && !strings.HasPrefix(why, "ELF"):
		l.s.problem(NotAMDGPU, name, "", why)
		return
	case promise == likely && !strings.HasSuffix(name, ")"): // archives hold many
		l.looked++
		l.s.Warnings = append(l.s.Warnings, "skipped_file: "+name+": "+why)
	}
	l.s.Skipped = append(l.s.Skipped, Skip{name, why})
}

const emptyFile = "the file is empty"

// isTempObject knows "stub-hip-amdgcn-amd-amdhsa-gfx942.o": clang --save-temps
// leaves it empty for a linked object that holds no device code.
func isTempObject(name string) bool {
	return path.Ext(name) == ".o" && deviceTriple(path.Base(name)) > 0
}

// promise is what a file's name says about its content.
type promise uint8

const (
	nothing  promise = iota
	likely           // .s, .o and the like: device or host
	promised         // names that only device code has
)

func promiseOf(name string) promise {
	if _, member := splitArchive(name); member != "" {
		name = member
	}
	base := strings.TrimSuffix(path.Base(name), ".gz")
	if strings.HasSuffix(base, "final_isa.s") {
		return promised
	}
	switch path.Ext(base) {
	case ".amdgcn", ".hsaco", ".co", ".rocmasm", ".gcn", ".hipfb":
		return promised
	case ".s", ".S", ".asm", ".o", ".out", ".isa", ".so", ".exe", ".a", ".lib", ".img":
		return likely
	}
	return nothing
}

// sniffLen is how much of a file decides whether its name says nothing.
const sniffLen = 1 << 16

// sniff looks at the start of a file whose name promises nothing. It returns
// why the file is not worth reading, or "".
func sniff(name string) string {
	f, err := os.Open(name)
	if err != nil {
		return reason(err)
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, sniffLen))
	if err != nil {
		return reason(err)
	}
	if isELF(head) || isContainer(head) || isArchive(head) || isTextBundle(head) || isAMDGPUText(head) {
		return ""
	}
	if len(head) == 0 {
		return emptyFile
	}
	if bytes.HasPrefix(head, []byte(gzipMagic)) {
		return "gzip of something that is not named as code"
	}
	return describe(head)
}
