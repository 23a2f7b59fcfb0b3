// Package demo holds the files of the sample company: a complete working set,
// commented, to read and to copy from. They are embedded so that the program
// can show itself without anything beside it.
package demo

import "embed"

// Files are pgask.yaml, the four files that it names, and the cases that
// policy.yaml is tested with, as they lie in this folder.
//
//go:embed pgask.yaml users.yaml policy.yaml semantic.yaml curated.yaml policy_test.yaml
var Files embed.FS
