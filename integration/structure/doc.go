// Package structure holds the shape of the source by tests: the import map of
// ARCHITECTURE.md, who may call the SQL parser, which packages stay pure, and
// that no test is skipped.
package structure
