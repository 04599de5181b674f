package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// lookPath finds the program name as a shell in dir with environment env would.
// The error wraps fs.ErrNotExist or fs.ErrPermission. os/exec's own look-up is of
// no use here: it reads the PATH of this process, not the command's.
func lookPath(name, dir string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		path := within(dir, name)
		err := executable(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w%s", err, shellHint(name))
		}
		return path, err
	}
	var denied error
	for _, d := range filepath.SplitList(lookupEnv(env, "PATH")) {
		path := within(dir, filepath.Join(d, name))
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) && denied == nil {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("looking for %q in PATH: %w%s", name, fs.ErrNotExist, shellHint(name))
}

// shellHint says what to do with a command line that was given as the name of a
// program.
func shellHint(name string) string {
	if !strings.ContainsAny(name, " \t\n") {
		return ""
	}
	return "; a whole command line needs a shell: sh -c, or --bench-cmd"
}

// within makes path absolute below dir, or below the working directory.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if abs, err := filepath.Abs(filepath.Join(dir, path)); err == nil {
		return abs
	}
	return filepath.Join(dir, path)
}

// executable returns nil if path is a file that we may execute.
func executable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, unix.ENOTDIR):
		return fmt.Errorf("looking for %q: %w", path, fs.ErrNotExist)
	case err != nil:
		return fmt.Errorf("looking for %q: %w", path, errors.Unwrap(err))
	case info.IsDir():
		return fmt.Errorf("executing %q: is a directory: %w", path, fs.ErrPermission)
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return fmt.Errorf("executing %q: %w", path, err)
	}
	return nil
}

// lookupEnv returns the value of name in env, or "".
func lookupEnv(env []string, name string) string {
	for _, kv := range env {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}
