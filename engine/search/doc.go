// Package search decides which commit to measure next and when to believe the
// answer. It is pure: no files, no processes, no clock, no randomness; what it
// knows of the world is a View, and what it wants is a Decision.
package search
