// Package stats turns noisy samples into numbers that can be trusted: medians,
// robust scatter, likelihoods, trends, autocorrelation, modes and power. It is
// pure: it never reads a clock or draws a random number, and no input makes it
// panic or return NaN as long as the values are finite.
package stats
