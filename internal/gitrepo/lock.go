package gitrepo

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ownerLock says who works in a tree of ours. The file is locked with flock and
// handed down to every git that we start there, so that the lock lives as long
// as any of them: when we are killed, whoever takes over can tell a git that
// still runs from a lock file that was left behind.
type ownerLock struct {
	path  string
	file  *os.File
	owner owner
}

// owner is the content of the lock file.
type owner struct {
	PID    int    `json:"pid"`
	Start  string `json:"start"` // of the process, so that a reused PID is not taken for it
	Common string `json:"common"`
	Run    string `json:"run"`
}

func (o owner) alive() bool { return o.PID > 0 && o.Start != "" && processStart(o.PID) == o.Start }

// orphanWait is how long the git commands of a dead owner get to end by
// themselves, and again after TERM, before they are killed.
const orphanWait = 2 * time.Second

// takeLock takes the lock, ending the git commands that a dead owner left. A
// live owner is a *BusyError.
func takeLock(path, common, run string) (*ownerLock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		l := &ownerLock{path: path, file: f, owner: owner{os.Getpid(), processStart(os.Getpid()), common, run}}
		err = l.acquire()
		if err == nil && !l.current() {
			err = errReplaced
		}
		if err == nil {
			err = l.write()
		}
		if err == nil {
			return l, nil
		}
		f.Close()
		if !errors.Is(err, errReplaced) {
			return nil, err
		}
	}
}

var errReplaced = errors.New("lock file was replaced")

// acquire waits for orphans, never for a live owner.
func (l *ownerLock) acquire() error {
	begin := time.Now()
	for {
		err := syscall.Flock(int(l.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return fmt.Errorf("locking %q: %w", l.path, err)
		}
		former, waited := l.read(), time.Since(begin)
		switch {
		case former.alive(), waited > 15*orphanWait:
			return &BusyError{Path: strings.TrimSuffix(l.path, ".lock"), PID: former.PID}
		case waited > 2*orphanWait:
			l.endHolders(syscall.SIGKILL)
		case waited > orphanWait:
			l.endHolders(syscall.SIGTERM)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (l *ownerLock) read() (o owner) {
	data := make([]byte, 8<<10)
	n, _ := l.file.ReadAt(data, 0)
	_ = json.Unmarshal(data[:n], &o) // an empty or torn file has no owner
	return o
}

func (l *ownerLock) write() error {
	data, err := json.Marshal(l.owner)
	if err != nil {
		return err
	}
	// In this order, so that a full disk is no obstacle where a dead owner has
	// written before: what it left must be removed to make room.
	if _, err := l.file.WriteAt(data, 0); err != nil {
		return err
	}
	if err := l.file.Truncate(int64(len(data))); err != nil {
		return err
	}
	return l.file.Sync()
}

// readOwner is what the lock file at path says: no owner if there is none.
func readOwner(path string) owner {
	f, err := os.Open(path)
	if err != nil {
		return owner{}
	}
	defer f.Close()
	return (&ownerLock{file: f}).read()
}

// current says whether the locked file is still the one at path: the former
// owner removes it while holding the lock.
func (l *ownerLock) current() bool {
	mine, err1 := l.file.Stat()
	there, err2 := os.Stat(l.path)
	return err1 == nil && err2 == nil && os.SameFile(mine, there)
}

// release removes the lock file and lets go. A nil lock is none.
func (l *ownerLock) release() {
	if l == nil || l.file == nil {
		return
	}
	if l.current() {
		_ = os.Remove(l.path)
	}
	_ = l.file.Close()
	l.file = nil
}

// abandon lets go and leaves the lock file, as if we had been killed.
func (l *ownerLock) abandon() {
	_ = l.file.Close()
	l.file = nil
}

// endHolders signals the processes that have the lock file open, found in
// /proc; elsewhere there is nothing to do but wait.
func (l *ownerLock) endHolders(sig syscall.Signal) {
	path, err := filepath.EvalSymlinks(l.path)
	if err != nil {
		return
	}
	fds, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, fd := range fds {
		pid, _ := strconv.Atoi(strings.Split(fd, "/")[2])
		if target, err := os.Readlink(fd); err == nil && target == path && pid != os.Getpid() {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// processStart identifies a process beyond its number: field 22 of
// /proc/PID/stat, in clock ticks since boot (proc(5)). "" if it is gone or a
// zombie; where there is no /proc, "?" for every process that exists.
func processStart(pid int) string {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		if _, noProc := os.Stat("/proc/self/stat"); noProc != nil && syscall.Kill(pid, 0) == nil {
			return "?"
		}
		return ""
	}
	// The name in parentheses may hold spaces and parentheses.
	f := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return ""
	}
	return f[19]
}
