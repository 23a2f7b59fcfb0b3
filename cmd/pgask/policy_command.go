package main

import (
	"context"
	"io"

	"github.com/pgask/pgask/configs"
	"github.com/spf13/cobra"
)

// policyRunRequest is files of cases to run.
type policyRunRequest struct {
	Files   *files
	Cases   []policyCases
	Offline bool // connect to nothing, and leave out the cases that need a schema
	Update  bool // rewrite golden files
	Stdout  io.Writer
}

// policyCases is one file of cases.
type policyCases struct {
	Path string
	*configs.PolicyCases
}

func (p *program) policyCommand() *cobra.Command {
	cmd := group("policy", "Test policies and compare them")
	cmd.AddCommand(p.policyTestCommand(), p.policyDiffCommand())
	return cmd
}

func (p *program) policyTestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test --config FILE [--offline] [--update] TESTS…",
		Short: "Run files of statements and expected verdicts; runs no statement",
		Args:  atLeast(1, "files of cases"),
	}
	config := configFlag(cmd)
	offline := cmd.Flags().Bool("offline", false, "connect to nothing: only cases that say offline: true are judged")
	update := cmd.Flags().Bool("update", false, "write what would be sent into the golden files that cases name")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		f, err := p.sound(*config)
		if err != nil {
			return err
		}
		cases, faults := readCases(args)
		printFaults(p.stderr, faults)
		if configs.Faulty(faults) {
			return reported{}
		}
		return p.policyTest(cmd.Context(), policyRunRequest{Files: f, Cases: cases, Offline: *offline, Update: *update, Stdout: p.stdout})
	}
	return cmd
}

// sound reads the files, which must have no fault; what is wrong is printed.
func (p *program) sound(config string) (*files, error) {
	f, faults, err := load(config, nil)
	if err != nil {
		return nil, err
	}
	if configs.Faulty(faults) {
		printFaults(p.stderr, faults)
		return nil, reported{}
	}
	return f, nil
}

// atLeast wants a number of arguments or more, described for people.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef("expected %s, got %d arguments", what, len(args))
		}
		return nil
	}
}

// policyTest runs the cases; all must hold.
func policyTest(ctx context.Context, r policyRunRequest) error {
	databases := newOwnDatabases(r.Files.all.Config, r.Offline)
	defer databases.close()
	w, err := newWhatIf(r.Files, r.Files.policy, databases)
	if err != nil {
		return err
	}
	run := caseRun{request: r, whatIf: w}
	for _, file := range r.Cases {
		for i := range file.Cases {
			if err := run.one(ctx, &file.Cases[i]); err != nil {
				return err
			}
		}
	}
	if run.sum() {
		return nil
	}
	return reported{}
}
