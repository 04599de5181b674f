//go:build !linux

package proc

import "syscall"

// Outside Linux there is neither a child subreaper nor /proc: the command's
// process group is all that can be reached, and a daemon that left it survives.

const groupOnly = true

func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func adoptOrphans() error { return nil }

// maxRSS returns ru_maxrss, which the BSDs and macOS count in bytes.
func maxRSS(usage *syscall.Rusage) int64 { return int64(usage.Maxrss) }

func descendants() []int { return nil }

func zombie(int) bool { return false }
