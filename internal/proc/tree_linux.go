package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupOnly says whether descendants outside the process group are out of reach.
const groupOnly = false

// childAttr starts the command in its own session and process group, so that no
// terminal reaches it, and lets the kernel kill it if the supervisor itself is
// killed. Pdeathsig follows the thread that forks: the supervisor forks from one
// locked thread that lives as long as it does.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// adoptOrphans makes this process the parent of every orphaned descendant, so
// that a daemon stays in reach.
func adoptOrphans() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// maxRSS converts ru_maxrss, which Linux counts in KiB, to bytes.
func maxRSS(usage *syscall.Rusage) int64 { return usage.Maxrss << 10 }

// descendants lists the processes below this one, parents first. A process that
// forks meanwhile may be missing: call again until no child is left.
func descendants() []int {
	list := children(os.Getpid())
	if list == nil {
		return scanDescendants()
	}
	for i := 0; i < len(list); i++ {
		list = append(list, children(list[i])...)
	}
	return list
}

// children reads the children of each thread of pid. It returns nil, not an
// empty slice, where the kernel does not offer the list (CONFIG_PROC_CHILDREN).
func children(pid int) []int {
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if len(files) == 0 {
		return nil
	}
	list := []int{}
	for _, file := range files {
		text, _ := os.ReadFile(file) // gone meanwhile: no children
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				list = append(list, child)
			}
		}
	}
	return list
}

// scanDescendants finds the same in the parent field of every /proc/PID/stat.
func scanDescendants() []int {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	below := map[int][]int{}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		// "PID (NAME) STATE PPID …": the name may hold blanks and parentheses.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			below[parent] = append(below[parent], pid)
		}
	}
	list := below[os.Getpid()]
	for i := 0; i < len(list); i++ {
		list = append(list, below[list[i]]...)
	}
	return list
}

// zombie reports whether pid has ended and only waits to be reaped.
func zombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	rest := string(text[strings.LastIndexByte(string(text), ')')+1:])
	return strings.HasPrefix(rest, " Z") || strings.HasPrefix(rest, " X")
}
