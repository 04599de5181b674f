package main

import (
	"os"
	"syscall"
)

// maxRSS is the peak resident size of an ended process in bytes.
func maxRSS(p *os.ProcessState) int64 {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int64(u.Maxrss) << 10 // Linux counts KiB
	}
	return 0
}
