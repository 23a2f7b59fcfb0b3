// Package audit writes the audit log: one line of JSON for every governed
// statement, in a file that is only appended to. A [Log] takes lines from all
// sessions and has one goroutine that writes them, in batches; [Verify] checks
// the hash chain of a written file.
package audit
