package gitrepo

import "syscall"

// ownSession starts git as the leader of a session of its own: one process
// group to signal, and no terminal on which ssh could ask for a passphrase.
// When we are killed the kernel sends it SIGTERM, on which git removes its lock
// files; the caller must hold its thread for as long as git runs, because the
// signal follows the death of the thread and not that of the process.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}
