package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/spf13/cobra"
)

const (
	exitOK = iota
	exitFailure
	exitUsage
	exitTrouble = exitUsage // of a command that compares, as diff(1) has it
)

// program is what the commands work with: the streams, and the functions that
// reach databases, which wiring.go supplies.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer

	// checkOnline finds the faults that need a database. It is asked only once
	// the files themselves have none.
	checkOnline func(ctx context.Context, all *configs.All) []configs.Fault
	// serve runs the proxy until ctx ends and everything is drained.
	serve func(ctx context.Context, r serveRequest) error
	// explain prints what would become of a statement.
	explain func(ctx context.Context, r explainRequest) error
	// policyTest runs files of statements and expected verdicts.
	policyTest func(ctx context.Context, r policyRunRequest) error
	// policyDiff prints what changes between two policies and tells whether
	// anything does.
	policyDiff func(ctx context.Context, r policyDiffRequest) (bool, error)
	// curatedTest runs the curated queries.
	curatedTest func(ctx context.Context, f *files, stdout io.Writer) error
	// index builds the schema index of every database and prints what it did.
	index func(ctx context.Context, all *configs.All, stdout io.Writer) error
}

// usageError is a command line that can't be understood.
type usageError struct{ error }

// reported is a failure that the user has read about already.
type reported struct{}

func (reported) Error() string { return "failed" }

// usagef makes a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// execute runs the command that the arguments name.
func (p *program) execute(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	code := exitFailure
	if _, ok := errors.AsType[unable](err); ok {
		code = exitTrouble
	}
	if _, told := errors.AsType[reported](err); told {
		return code
	}
	fmt.Fprintf(p.stderr, "%s: %v\n", root.Name(), err)
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintf(p.stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
		return exitUsage
	}
	return code
}

// root is the command pgask with everything below it.
func (p *program) root() *cobra.Command {
	root := group("pgask", "A Postgres proxy that people and programs can ask")
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(p.versionCommand(), p.usersCommand(), p.checkCommand(), p.serveCommand(), p.explainCommand(), p.auditCommand(), p.policyCommand(), p.indexCommand(), p.cacheCommand(), p.curatedCommand(), p.semanticCommand(), p.traceCommand(), p.promptCommand(), p.demoCommand())
	return root
}

// group is a command that only holds others: alone, or with a word that is
// none of them, it is a usage error.
func group(use, short string) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		// An unknown command is a clearer complaint than its flags.
		FParseErrWhitelist:         cobra.FParseErrWhitelist{UnknownFlags: true},
		Args:                       cobra.ArbitraryArgs,
		SuggestionsMinimumDistance: 2,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("a command is missing; there are %s", strings.Join(names(cmd), ", "))
			}
			err := usagef("unknown command %q for %q", args[0], cmd.CommandPath())
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				err = usagef("%w; did you mean %s?", err, near[0])
			}
			return err
		},
	}
}

func names(cmd *cobra.Command) []string {
	var out []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, c.Name())
		}
	}
	return out
}

// exactly wants a number of arguments, described for people.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("expected %s, got %d arguments", what, len(args))
		}
		return nil
	}
}
