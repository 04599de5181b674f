package app

import (
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"perfbisect/amdgpu"
)

// fileStamps are the files of a tree, by path, as far as it shows whether they
// were written since. Clocks are not compared: that of a file system may be coarse,
// and a file that was checked out just before the dump is none of its output.
type fileStamps map[string]fileStamp

type fileStamp struct {
	modified time.Time
	size     int64
}

// stampFiles notes the files of the tree at root, git's own aside.
func stampFiles(root string) (fileStamps, error) {
	stamps := fileStamps{}
	err := walkFiles(root, func(path string, info fs.FileInfo) error {
		stamps[path] = fileStamp{info.ModTime(), info.Size()}
		return nil
	})
	return stamps, err
}

// walkFiles calls visit for each regular file below root that is still there.
func walkFiles(root string, visit func(path string, info fs.FileInfo) error) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil && path != root && os.IsNotExist(err) {
			return nil // a build's own temporary file
		}
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		info, err := d.Info()
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return visit(path, info)
	})
}

// collectTemps takes the device code that clang --save-temps leaves in the tree:
// what was written since before and is device code by itself, whatever its name is.
// Names differ with language, driver and linking: gemm.s (OpenCL),
// gemm-hip-amdgcn-amd-amdhsa-gfx942.out, a.out-hip-amdgcn-amd-amdhsa-gfx942.lto.o,
// prog.amdgcn.gfx942.img. Files that only carry device code, such as objects of the
// host and fat binaries, would bring the same kernels again.
func collectTemps(dump, tree string, before fileStamps) error {
	return walkFiles(tree, func(path string, info fs.FileInfo) error {
		if before[path] == (fileStamp{info.ModTime(), info.Size()}) || !mayBeDeviceCode(path) {
			return nil
		}
		if s, err := amdgpu.Load(path); err != nil || len(s.Kernels) == 0 {
			return nil
		}
		rel, err := filepath.Rel(tree, path)
		if err != nil {
			return err
		}
		return into(dump, tree, rel)
	})
}

// asmExt are the extensions of assembly text.
var asmExt = []string{".s", ".asm", ".isa", ".amdgcn"}

// amdgpuMachine is e_machine of AMD GPU code in the ELF header, at offset 18 (LLVM,
// User Guide for AMDGPU Backend, Code Object).
const (
	amdgpuMachine = 224
	machineAt     = 18
)

// mayBeDeviceCode reports whether a file is an AMD GPU object or assembly text. It
// reads no more than a header: a build may write thousands of files.
func mayBeDeviceCode(path string) bool {
	if slices.Contains(asmExt, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [machineAt + 2]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false
	}
	return string(head[:4]) == "\x7fELF" && binary.LittleEndian.Uint16(head[machineAt:]) == amdgpuMachine
}
