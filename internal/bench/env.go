package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// gitLocal are the variables that tie git to one repository, as
// `git rev-parse --local-env-vars` lists them, and two more that a git hook sets.
// We may have been started by a hook; the user's build must not see its repository.
var gitLocal = map[string]bool{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_CONFIG": true, "GIT_CONFIG_PARAMETERS": true,
	"GIT_CONFIG_COUNT": true, "GIT_OBJECT_DIRECTORY": true, "GIT_DIR": true, "GIT_WORK_TREE": true,
	"GIT_IMPLICIT_WORK_TREE": true, "GIT_GRAFT_FILE": true, "GIT_INDEX_FILE": true,
	"GIT_NO_REPLACE_OBJECTS": true, "GIT_REPLACE_REF_BASE": true, "GIT_PREFIX": true,
	"GIT_SHALLOW_FILE": true, "GIT_COMMON_DIR": true, "GIT_QUARANTINE_PATH": true, "GIT_REFLOG_ACTION": true,
}

func withoutGit(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); !gitLocal[name] {
			kept = append(kept, kv)
		}
	}
	return kept
}

// checkAssignment refuses what is not K=V.
func checkAssignment(kv string) error {
	if name, _, ok := strings.Cut(kv, "="); !ok || name == "" {
		return fmt.Errorf("environment %q is not of the form NAME=VALUE", kv)
	}
	return nil
}

// Env returns the whole environment that commit is built and run in. Later
// entries win: ours, then the caches, then what the user set.
func (r *Runner) Env(commit string) []string {
	c := r.config
	env := append([]string(nil), c.BaseEnv...)
	env = append(env, "PWD="+c.Dir)
	env = append(env, r.cacheEnv(commit)...)
	replace := strings.NewReplacer("{commit}", commit, "{short}", short(commit), "{slot}", strconv.Itoa(c.Slot))
	for _, kv := range c.Env {
		name, value, _ := strings.Cut(kv, "=")
		env = append(env, name+"="+replace.Replace(value))
	}
	return env
}

// lookup returns the last value of name in env, or "".
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}
