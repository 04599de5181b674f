// Package stats turns noisy samples into numbers that can be trusted: medians,
// robust scatter, likelihoods, drift, autocorrelation and power. It is pure and
// never reads a clock or draws a random number.
package stats
