package main

import (
	"context"
	"io"
)

// grammar is the version of Postgres whose SQL grammar governed statements are
// parsed with, that of the parser pipeline/stmt uses. A test holds it to that.
const grammar = "PostgreSQL 16"

// wire connects the commands with the packages that do the work.
func wire(stdin io.Reader, stdout, stderr io.Writer) *program {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr}
	p.serve = func(ctx context.Context, r serveRequest) error { return serveFiles(ctx, stderr, r) }
	p.checkOnline = checkDatabases
	p.explain = explainStatement
	p.policyTest = policyTest
	p.policyDiff = policyDiff
	p.curatedTest = testCurated
	p.index = buildIndex
	return p
}
