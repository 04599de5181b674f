// Package testenv holds what only tests need: git repositories made in an
// instant, a benchmark and a build that are as fast, slow, noisy or broken as a
// commit says, and their fakes' command lines. It is never imported by the
// program itself.
package testenv
