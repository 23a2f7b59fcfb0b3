package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/policy"
	"github.com/spf13/cobra"
)

// policyDiffRequest is two policies to compare.
type policyDiffRequest struct {
	Files      *files
	Old, New   policyFile
	Statements []sent
	Stdout     io.Writer
}

// policyFile is a policy as written and as compiled.
type policyFile struct {
	*configs.Policy
	compiled *policy.Policy
}

func (p *program) policyDiffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff --config FILE OLD NEW [--statements FILE]",
		Short: "List what changes for users between two policy files",
		Long: "List what changes for users between two policy files: what each may read, and the verdicts of statements: those of a file,\n" +
			"else of the audit log and its rotated files where they keep texts, the curated queries, and the plans that are kept (approved, and in planner.dsn cached).\n" +
			"Nothing runs and no model is asked: what only a model answers is compared by the plans that are kept of it.\n" +
			"Exit code 0: nothing changes; 1: something does; 2: something is wrong.",
		Args: exactly(2, "two policy files"),
	}
	config := configFlag(cmd)
	statements := cmd.Flags().String("statements", "", "`FILE` of SQL, or of an audit log's JSON lines")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		changed, err := p.comparePolicies(cmd.Context(), *config, args[0], args[1], *statements)
		switch {
		case err != nil:
			return unable{err}
		case changed:
			return reported{}
		}
		return nil
	}
	return cmd
}

func (p *program) comparePolicies(ctx context.Context, config, before, after, statements string) (changed bool, err error) {
	f, err := p.sound(config)
	if err != nil {
		return false, err
	}
	r := policyDiffRequest{Files: f, Stdout: p.stdout}
	if r.Old, err = p.readPolicy(before); err != nil {
		return false, err
	}
	if r.New, err = p.readPolicy(after); err != nil {
		return false, err
	}
	if r.Statements, err = statementsToCompare(f.all, statements); err != nil {
		return false, err
	}
	plans, err := plansToCompare(ctx, f)
	if err != nil {
		return false, err
	}
	r.Statements = append(r.Statements, plans...)
	return p.policyDiff(ctx, r)
}

// readPolicy reads a policy, which must have no fault; what is wrong is
// printed.
func (p *program) readPolicy(path string) (policyFile, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return policyFile{}, err
	}
	file, faults := configs.DecodePolicy(path, data)
	compiled, more := policy.Compile(file)
	faults = merge(faults, more)
	if configs.Faulty(faults) {
		printFaults(p.stderr, faults)
		return policyFile{}, reported{}
	}
	return policyFile{file, compiled}, nil
}

// policyDiff prints what changes and tells whether anything does.
func policyDiff(ctx context.Context, r policyDiffRequest) (bool, error) {
	databases := newOwnDatabases(r.Files.all.Config, false)
	defer databases.close()
	d := &difference{request: r}
	for i, p := range []policyFile{r.Old, r.New} {
		w, err := newScene(r.Files, p.compiled, databases, scene{staged: staged{modelless: true}, today: r.Files.all.Config.Planner.Today, now: time.Now})
		if err != nil {
			return false, err
		}
		d.sides[i] = &side{whatIf: w, policy: p}
	}
	for _, u := range r.Files.all.Users.Users {
		if err := d.user(ctx, u.Name); err != nil {
			return false, err
		}
	}
	return d.print(r.Stdout), nil
}

// unable is the error of a command whose exit code 1 means something else.
type unable struct{ error }

func (u unable) Unwrap() error { return u.error }
