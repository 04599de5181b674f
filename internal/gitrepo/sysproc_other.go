//go:build !linux

package gitrepo

import "syscall"

// ownSession starts git as the leader of a session of its own: one process
// group to signal, and no terminal on which ssh could ask for a passphrase.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
