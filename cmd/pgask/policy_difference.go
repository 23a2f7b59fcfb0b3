package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline"
)

// difference collects what changes between two policies. Users for whom the
// same changes are told together.
type difference struct {
	request policyDiffRequest
	sides   [2]*side
	reads   []*changes // what users may read and do
	verdict []*changes // of statements
}

// side is one of the policies.
type side struct {
	*whatIf
	policy policyFile
}

// changes are those of one thing, for everybody for whom they are the same.
type changes struct {
	about string // a statement; empty for what users may do
	where string // the database; empty for all
	lines []string
	users []string
}

// note adds a user's changes to those of others.
func note(all *[]*changes, about, where, user string, lines []string) {
	if len(lines) == 0 {
		return
	}
	for _, c := range *all {
		if c.about == about && c.where == where && slices.Equal(c.lines, lines) {
			if !slices.Contains(c.users, user) { // a line may have a statement twice
				c.users = append(c.users, user)
			}
			return
		}
	}
	*all = append(*all, &changes{about: about, where: where, lines: lines, users: []string{user}})
}

// user compares everything of one user.
func (d *difference) user(ctx context.Context, name string) error {
	who, ok := d.request.Files.users.Principal(name)
	if !ok {
		return nil
	}
	note(&d.reads, "", "", name, d.roleChanges(who))
	for _, database := range slices.Sorted(maps.Keys(d.request.Files.all.Config.Databases)) {
		if err := d.onDatabase(ctx, who, database); err != nil {
			return err
		}
	}
	return nil
}

func (d *difference) onDatabase(ctx context.Context, who auth.Principal, database string) error {
	lines, err := d.readChanges(ctx, who, database)
	if err != nil {
		return unasked(database, err)
	}
	note(&d.reads, "", database, who.User, lines)
	var sessions [2]*pipeline.Session
	var refused [2]error
	for i, s := range d.sides {
		if sessions[i], refused[i] = s.open(ctx, who, database); refused[i] == nil {
			defer sessions[i].Close()
		} else if unreachable(refused[i]) {
			return unasked(database, refused[i])
		}
	}
	if refused[0] != nil && refused[1] != nil {
		return nil
	}
	for _, one := range d.request.Statements {
		if one.user != "" && one.user != who.User || one.database != "" && one.database != database {
			continue
		}
		var seen [2]seen
		for i := range sessions {
			if seen[i], err = judgedOn(ctx, sessions[i], refused[i], one.text); err != nil {
				return unasked(database, err)
			}
		}
		note(&d.verdict, one.about(), database, who.User, seen[0].changes(seen[1]))
	}
	return nil
}

// seen is what became of a statement under one policy.
type seen struct {
	refusal error
	foreseen
}

func judgedOn(ctx context.Context, s *pipeline.Session, refused error, text string) (seen, error) {
	if refused != nil {
		return seen{refusal: refused}, nil
	}
	forecasts := s.Explain(ctx, text)
	for _, f := range forecasts {
		switch {
		case unreachable(f.Err):
			return seen{}, f.Err
		case f.Err != nil:
			return seen{refusal: f.Err}, nil
		}
	}
	return seen{foreseen: sumOf(forecasts)}, nil
}

// changes are the lines that tell two verdicts apart; none for equal ones.
func (s seen) changes(o seen) []string {
	if s.refusal != nil || o.refusal != nil {
		if s.refusal != nil && o.refusal != nil && stateOf(s.refusal) == stateOf(o.refusal) {
			return nil
		}
		return []string{outcome(s.refusal) + " → " + outcome(o.refusal)}
	}
	var out []string
	for _, list := range []struct {
		what          string
		before, after []string
	}{{"tables", s.Tables, o.Tables}, {"scopes", s.Scopes, o.Scopes}, {"masked", s.Masked, o.Masked}, {"columns", s.Columns, o.Columns}} {
		if line := gainedAndLost(list.before, list.after); line != "" {
			out = append(out, list.what+line)
		}
	}
	if s.Cap != o.Cap {
		out = append(out, fmt.Sprintf("row cap %s → %s", limit(s.Cap), limit(o.Cap)))
	}
	if out == nil && s.SQL != o.SQL {
		before, after := apart(s.SQL, o.SQL)
		out = []string{"what would be sent: " + before + " → " + after}
	}
	return out
}

// around is how much of what is the same is shown on each side of what isn't.
const around = 24

// apart are two texts without what is the same at their beginnings and ends.
func apart(a, b string) (string, string) {
	x, y := []rune(a), []rune(b)
	start, end := 0, 0
	for start < min(len(x), len(y)) && x[start] == y[start] {
		start++
	}
	for end < min(len(x), len(y))-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	start, end = max(0, start-around), max(0, end-around)
	return "…" + string(x[start:len(x)-end]) + "…", "…" + string(y[start:len(y)-end]) + "…"
}

// gainedAndLost words what a list gained and lost, "" for nothing.
func gainedAndLost(before, after []string) string {
	var b strings.Builder
	for _, w := range after {
		if !slices.Contains(before, w) {
			b.WriteString(" + " + w)
		}
	}
	for _, w := range before {
		if !slices.Contains(after, w) {
			b.WriteString(" - " + w)
		}
	}
	if b.Len() == 0 && !slices.Equal(before, after) {
		return " " + listed(before) + " → " + listed(after)
	}
	return b.String()
}

// print writes everything and tells whether there was anything.
func (d *difference) print(w io.Writer) bool {
	for _, c := range d.reads {
		fmt.Fprintf(w, "%s:\n", c.who())
		for _, l := range c.lines {
			fmt.Fprintf(w, "  %s\n", l)
		}
	}
	// Changes of one statement stand together, in the order of statements.
	told := map[string]bool{}
	for _, one := range d.request.Statements {
		about := one.about()
		if told[about] {
			continue
		}
		for _, c := range d.verdict {
			if c.about != about {
				continue
			}
			if !told[about] {
				told[about] = true
				fmt.Fprintln(w, about)
			}
			for _, l := range c.lines {
				fmt.Fprintf(w, "  %s: %s\n", c.who(), l)
			}
		}
	}
	n := len(d.reads) + len(d.verdict)
	if n == 0 {
		fmt.Fprintln(w, "nothing changes")
	}
	return n > 0
}

// who are the users, and where.
func (c *changes) who() string {
	if c.where == "" {
		return strings.Join(c.users, ", ")
	}
	return strings.Join(c.users, ", ") + " on " + c.where
}
