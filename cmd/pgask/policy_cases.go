package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/stmt"
)

// readCases reads files of cases.
func readCases(paths []string) ([]policyCases, []configs.Fault) {
	var out []policyCases
	var faults []configs.Fault
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			faults = append(faults, configs.Fault{Pos: configs.Pos{File: path}, Msg: "cannot read it: " + reason(errors.Unwrap(err))})
			continue
		}
		cases, more := configs.DecodePolicyCases(path, data)
		if len(cases.Cases) == 0 && len(more) == 0 {
			more = []configs.Fault{{Pos: configs.Pos{File: path}, Key: "cases", Msg: "there are none"}}
		}
		faults = append(faults, more...)
		out = append(out, policyCases{Path: path, PolicyCases: cases})
	}
	return out, faults
}

// caseRun runs cases one by one and prints a line for each, in the form of the
// Test Anything Protocol.
type caseRun struct {
	request               policyRunRequest
	whatIf                *whatIf
	held, failed, skipped int
}

// one runs a case in a session of its own. The error is that of a database that
// can't be asked: then no case says anything.
func (r *caseRun) one(ctx context.Context, c *configs.PolicyCase) error {
	if r.request.Offline && !c.Offline {
		r.skipped++
		r.line("ok", c, " # SKIP needs a database")
		return nil
	}
	problems, err := r.try(ctx, c)
	if err != nil {
		return err
	}
	if len(problems) == 0 {
		r.held++
		r.line("ok", c, "")
		return nil
	}
	r.failed++
	r.line("not ok", c, "")
	for _, p := range problems {
		fmt.Fprintf(r.request.Stdout, "# %s\n", strings.ReplaceAll(p, "\n", "\n# "))
	}
	return nil
}

func (r *caseRun) line(result string, c *configs.PolicyCase, comment string) {
	who := c.User
	if who == "" {
		who = "role " + strings.Join(c.Roles, ", ")
	}
	what := c.Name
	if what == "" {
		what = strings.Join(strings.Fields(c.Steps[0].Statement), " ")
	}
	fmt.Fprintf(r.request.Stdout, "%s %d - %s %s: %s%s\n", result, r.held+r.failed+r.skipped, c.Pos, who,
		strings.ReplaceAll(what, "#", `\#`), comment)
}

// sum prints how many there were and tells whether all held.
func (r *caseRun) sum() bool {
	all := r.held + r.failed + r.skipped
	fmt.Fprintf(r.request.Stdout, "1..%d\n# %s: %d held, %d failed", all, count(all, "case"), r.held, r.failed)
	if r.skipped > 0 {
		fmt.Fprintf(r.request.Stdout, ", %d skipped", r.skipped)
	}
	fmt.Fprintln(r.request.Stdout)
	return r.failed == 0
}

// try judges a case's steps in order and returns what isn't as expected.
func (r *caseRun) try(ctx context.Context, c *configs.PolicyCase) ([]string, error) {
	who, database, problem := r.principal(c)
	if problem != "" {
		return []string{problem}, nil
	}
	s, err := r.whatIf.open(ctx, who, database)
	if unreachable(err) {
		return nil, unasked(database, err)
	}
	if err != nil { // the login itself is refused, and with it every step
		return r.compare(&c.Steps[0], []pipeline.Forecast{{Err: err}}), nil
	}
	defer s.Close()
	var problems []string
	for i := range c.Steps {
		forecasts := s.Explain(ctx, c.Steps[i].Statement)
		for _, f := range forecasts {
			if unreachable(f.Err) {
				return nil, unasked(database, f.Err)
			}
		}
		problems = append(problems, r.compare(&c.Steps[i], forecasts)...)
	}
	return problems, nil
}

// principal is who sends a case's statements, and where; problem says why
// nobody can.
func (r *caseRun) principal(c *configs.PolicyCase) (who auth.Principal, database, problem string) {
	at := c.Pos.String() + ": "
	who = auth.Principal{User: "nobody", Roles: c.Roles}
	if c.User != "" {
		known, ok := r.request.Files.users.Principal(c.User)
		if !ok {
			return who, "", at + "there is no user " + c.User
		}
		who = known
	}
	if c.Roles != nil {
		who.Roles = c.Roles
	}
	if c.Attributes != nil {
		who.Attributes = c.Attributes
	}
	names, err := r.whatIf.databasesOf(who)
	switch {
	case err != nil:
		return who, "", at + err.Error()
	case c.Database != "":
		return who, c.Database, ""
	case len(names) != 1:
		return who, "", at + fmt.Sprintf("say which database: %s may use %s", who.User, count(len(names), "database"))
	}
	return who, names[0], ""
}

// compare holds what became of a step against what was expected.
func (r *caseRun) compare(step *configs.PolicyStep, forecasts []pipeline.Forecast) []string {
	var problems []string
	note := func(format string, args ...any) {
		problems = append(problems, step.Pos.String()+": "+fmt.Sprintf(format, args...))
	}
	var refusal error
	for _, f := range forecasts {
		if f.Err != nil {
			refusal = f.Err
			break
		}
	}
	if !asExpected(step.Expect, refusal) {
		note("expected %s, got %s", step.Expect, outcome(refusal))
		return problems
	}
	if step.Message != "" && (refusal == nil || !strings.Contains(refusal.Error(), step.Message)) {
		note("expected a refusal that says %q, got %s", step.Message, outcome(refusal))
	}
	if refusal != nil {
		return problems
	}
	for _, p := range differences(step, forecasts) {
		note("%s", p)
	}
	if p := r.golden(step.Golden, forecasts); p != "" {
		note("%s", p)
	}
	return problems
}

// refusedByPolicy are the SQLSTATEs that a case means by denied: a mistyped
// statement is none, nor is a question that has no answer.
var refusedByPolicy = []string{"42501", "25006", "0A000", "28000"}

func asExpected(expect string, refusal error) bool {
	switch {
	case refusal == nil:
		return expect == configs.Allowed
	case expect == configs.Denied:
		return slices.Contains(refusedByPolicy, stateOf(refusal))
	}
	return stateOf(refusal) == expect
}

func outcome(refusal error) string {
	if refusal == nil {
		return configs.Allowed
	}
	return stateOf(refusal) + ": " + refusal.Error()
}

// differences compares what is known of allowed statements.
func differences(step *configs.PolicyStep, forecasts []pipeline.Forecast) []string {
	known := sumOf(forecasts)
	var out []string
	compare := func(what string, want, got []string) {
		if want != nil && !slices.Equal(unique(want), unique(got)) {
			out = append(out, fmt.Sprintf("expected %s %s, got %s", what, listed(unique(want)), listed(unique(got))))
		}
	}
	compare("tables", spelled(step.Tables), known.Tables)
	compare("scopes", step.Scopes, known.Scopes)
	compare("masked", spelled(step.Masked), known.Masked)
	if step.Columns != nil && !slices.Equal(step.Columns, known.Columns) {
		out = append(out, fmt.Sprintf("expected columns %s, got %s", listed(step.Columns), listed(known.Columns)))
	}
	if step.RowCap != nil && *step.RowCap != known.Cap {
		out = append(out, fmt.Sprintf("expected row_cap %d, got %d", *step.RowCap, known.Cap))
	}
	if step.SQL != nil && !step.SQL.MatchString(known.SQL) {
		out = append(out, fmt.Sprintf("%s doesn't match what would be sent:\n%s", step.SQL, known.SQL))
	}
	return out
}

// golden compares what would be sent with a file, or writes the file.
func (r *caseRun) golden(path string, forecasts []pipeline.Forecast) string {
	if path == "" {
		return ""
	}
	var b strings.Builder
	for _, f := range forecasts {
		fmt.Fprintf(&b, "%s;\n", stmt.Pretty(f.SQL))
	}
	if r.request.Update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			return err.Error()
		}
		return ""
	}
	want, err := os.ReadFile(path)
	switch {
	case err != nil:
		return err.Error() + "; --update writes it"
	case string(want) != b.String():
		return "what would be sent isn't what " + path + " holds; --update rewrites it:\n" + strings.TrimRight(b.String(), "\n")
	}
	return ""
}
