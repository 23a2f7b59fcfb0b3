// Package score says how well questions were answered: counts by database and
// by construct, precision over coverage as the least confidence rises, and a list of
// what went wrong and why. It is for tests only.
package score
