// Package search decides which commit to measure next and when to believe the
// answer. It is pure: no files, no processes, no clock, no randomness; what it
// knows of the world is a View, and what it wants is a Decision.
//
// # The method of the adaptive planner
//
// Commits are positions 0 (good) … N (bad); in a graph a position is slow if and
// only if the culprit is it or one of its ancestors. Nothing is ever called good or
// bad. The unknown is the culprit c; the runs are values y, the logarithm of what
// the benchmark printed, turned so that larger is slower:
//
//	y = level + offset(commit) + s·t4,   level = b if c is at or before the commit, else g
//
// t4 is Student's distribution with four degrees of freedom on a constant floor,
// so that one run moves the odds by 49:1 at most and an outlier far from both
// levels by nothing. offset is what the commit has for itself (code layout,
// alignment); it does not average out, and its size is one of three hypotheses.
// g, b and s are integrated over a small grid placed by robust estimates, a linear
// drift is taken out, and evidence is tempered by the autocorrelation of runs.
// The posterior of c is then exact sums over the intervals between visited
// positions (posterior.go, levels.go).
//
// Ends: good and bad are run in ABBA order until their medians are clear of the
// scatter, or it is clear that they will not be (ends.go). Search: the visit with
// the largest mutual information per cost, in runs, builds and warm-ups included,
// times the chance that the position can be tested at all (choose.go). Proof: when
// one step holds most of the posterior and nothing inside it is left to test, its
// two sides are run alternately until the odds of the paired differences are 20:1;
// pairs cancel drift and states of the machine, which the posterior alone does not
// survive (confirm.go). What cannot be told apart is named as a set. Levels between
// fast and slow that three neighbours share split the hunt into steps
// (staircase.go). A metric without noise is plain bisection (exact.go).
//
// Decide is a pure function of the View: phases are conditions on the data, not
// remembered state, so resume, undo and another metric over the same runs work by
// asking again. Every constant is in constants.go with its reason; docs/METHOD.md
// has the formulas and what they achieve.
//
// # References
//
// Burnashev and Zigangirov, An interval estimation problem for controlled
// observations, Problems of Information Transmission 10, 1974: noisy bisection by
// posterior. Karp and Kleinberg, Noisy binary search and its applications, SODA
// 2007: unknown error rates. Waeber, Frazier and Henderson, Bisection search with
// noisy responses, SIAM J. Control Optim. 51, 2013: convergence of the posterior.
// git_bayesect (hauntsaninja): the same for pass or fail with Beta priors; choice by
// expected entropy. Pinpoint (Chromium): compare, then bisect where halves differ.
package search
