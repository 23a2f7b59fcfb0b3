package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/hook"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/plans"
	"github.com/pgask/pgask/policy"
	"github.com/spf13/cobra"
)

// configFlag adds --config, which the commands that read files all need.
func configFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("config", "", "pgask.yaml `FILE`; the files it names are found from its folder")
}

// files are the configuration and what was made of it without a database.
type files struct {
	all     *configs.All
	users   *auth.Store
	policy  *policy.Policy
	curated *planner.Curated
	hooks   pipeline.Hooks
}

// user is a user of the files by name.
func (f *files) user(name string) (auth.Principal, error) {
	who, ok := f.users.Principal(name)
	if !ok {
		return who, fmt.Errorf("there is no user %s in %s", name, f.all.Config.Files.Users)
	}
	return who, nil
}

// load reads all files and checks everything that needs no database: the
// files themselves, then verifiers, the policy's SQL and the curated queries.
func load(path string, overrides configs.Overrides) (*files, []configs.Fault, error) {
	if path == "" {
		return nil, nil, usagef("--config FILE is missing")
	}
	f := &files{}
	var faults []configs.Fault
	f.all, faults = configs.Load(path, overrides)
	var users, rules, queries []configs.Fault
	f.users, users = auth.NewStore(f.all.Users)
	f.policy, rules = policy.Compile(f.all.Policy)
	if f.policy != nil {
		rules = append(rules, together(f)...)
	}
	f.curated, queries = planner.NewCurated(f.all.Curated.Queries, f.all.Config.Curated)
	hooks := f.assembleHooks(path)
	for _, more := range [][]configs.Fault{users, rules, queries, hooks, approvedFaults(f.all.Config)} {
		faults = merge(faults, more)
	}
	inOrder(faults, path, f.all.Config.Files)
	return f, faults, nil
}

// assembleHooks makes the hooks, or says what is wrong with them.
func (f *files) assembleHooks(path string) []configs.Fault {
	var faults []configs.Fault
	all := func(key string, entries []string) []*hook.Hook {
		var out []*hook.Hook
		for _, entry := range entries {
			h, err := hook.New(entry, filepath.Dir(path), f.all.Config.Hooks.Timeout)
			if err != nil {
				faults = append(faults, configs.Fault{Pos: configs.Pos{File: path}, Key: key, Msg: strconv.Quote(entry) + " " + err.Error()})
				continue
			}
			out = append(out, h)
		}
		return out
	}
	f.hooks = pipeline.Hooks{PlanAfter: all("hooks.plan_after", f.all.Config.Hooks.PlanAfter), SQLBefore: all("hooks.sql_before", f.all.Config.Hooks.SQLBefore)}
	return faults
}

// approvedFaults warns of a file of approved plans that can't be read: questions are
// answered without them.
func approvedFaults(c *configs.Config) []configs.Fault {
	if c.Planner.Store == "postgres" || c.Files.Approved == "" {
		return nil
	}
	if _, err := plans.NewFile(c.Files.Approved).Approved(context.Background(), ""); err != nil {
		return []configs.Fault{{Pos: configs.Pos{File: c.Files.Approved}, Key: "files.approved", Msg: "no plan counts as approved: " + err.Error(), Warning: true}}
	}
	return nil
}

// inOrder sorts faults as people go through files: pgask.yaml, then those it
// names, each from top to bottom. What stands in no file, such as an
// environment variable, comes first.
func inOrder(faults []configs.Fault, path string, named configs.Files) {
	main, err := filepath.Abs(path)
	if err != nil {
		return // no working directory: leave the order of the stages
	}
	order := []string{main, named.Users, named.Policy, named.Semantic, named.Reviews, named.Curated}
	rank := func(f configs.Fault) int {
		abs, _ := filepath.Abs(f.Pos.File)
		return slices.IndexFunc(order, func(name string) bool {
			fits, _ := filepath.Match(name, abs) // a faulty pattern names no file
			return fits || name == abs
		})
	}
	slices.SortStableFunc(faults, func(a, b configs.Fault) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
}

// together checks that the roles of each user can be had by one user, who has
// the attributes that they refer to.
func together(f *files) []configs.Fault {
	var faults []configs.Fault
	for _, u := range f.all.Users.Users {
		faults = append(faults, f.policy.CheckAttributes(u)...)
		if len(u.Roles) < 2 {
			continue
		}
		if err := f.policy.CheckRoles(u.Roles); err != nil {
			faults = append(faults, configs.Fault{Pos: u.Pos, Key: "users." + u.Name + ".roles", Msg: err.Error()})
		}
	}
	return faults
}

// merge adds faults of a later stage, but not a second one for a key that has
// one: what doesn't decode can't compile either.
func merge(faults, later []configs.Fault) []configs.Fault {
	first := slices.Clone(faults)
	for _, f := range later {
		if !slices.ContainsFunc(first, func(g configs.Fault) bool { return g.Pos == f.Pos && g.Key == f.Key && !g.Warning }) {
			faults = append(faults, f)
		}
	}
	return faults
}

// printFaults writes one fault a line, then the warnings, each with what mends
// it.
func printFaults(w io.Writer, faults []configs.Fault) {
	for _, f := range faults {
		if !f.Warning {
			printFault(w, "", f)
		}
	}
	for _, f := range faults {
		if f.Warning {
			printFault(w, "warning: ", f)
		}
	}
}

func printFault(w io.Writer, prefix string, f configs.Fault) {
	fmt.Fprintln(w, prefix+f.Error())
	for _, line := range f.Fix {
		fmt.Fprintln(w, "    "+line)
	}
}
