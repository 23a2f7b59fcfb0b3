package pipeline

import (
	"fmt"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"pgregory.net/rapid"
)

// absence is a plan that asks for the rows of parent that have none of child, in one of the forms
// in which that can be said.
type absence struct {
	form, parent, child string
	own                 string // the parent's column that is shown
	source              string
	plan                *plan.Plan
}

func (a *absence) String() string { return a.form + ": " + a.source }

var absentForms = []string{"anti join", "outer join", "right join", "not in", "not exists", "except", "count of none", "count of a filter", "number of a sub-plan",
	"number shown first", "block of none", "anti joined block", "all of them", "not in a block"}

func catalogName(table string) catalog.Name { return catalog.Name{Schema: "public", Table: table} }

// absentLink is an edge in one of its directions: the columns that the parent's and the child's rows have equal.
type absentLink struct{ parent, own, child, theirs string }

// link is a random one.
func (w *absentWorld) link(parent string) absentLink {
	var fits []absentLink
	for _, e := range absentEdges {
		if e.parent == parent || parent == "" {
			fits = append(fits, absentLink{e.parent, "id", e.child, e.column})
		}
		if e.child == parent {
			fits = append(fits, absentLink{e.child, e.column, e.parent, "id"})
		}
	}
	return rapid.SampledFrom(fits).Draw(w.T, "link")
}

// condition is one on the child's rows, as an expression; "" for none.
func (w *absentWorld) condition(child, alias string) string {
	column := map[string]string{"firms": "size", "goods": "kind", "deals": "state", "lines": "amount", "calls": "state"}[child]
	switch rapid.IntRange(0, 9).Draw(w.T, "condition") {
	case 0, 1, 2, 3:
		return fmt.Sprintf(`{"op":{"op":"=","args":[{"column":"%s.%s"},{"literal":{"value":1}}]}}`, alias, column)
	case 4:
		l := w.link(child)
		return fmt.Sprintf(`{"op":{"op":"in","args":[{"column":"%s.%s"},{"plan":{"from":{"table":"%s","as":"s"},"select":[{"expr":{"column":"s.%s"}}]}}]}}`, alias, l.own, l.child, l.theirs)
	}
	return ""
}

// saying has what the forms are put together of, as JSON.
type saying struct {
	absentLink
	where, more string // a condition on the child's rows, and a second step from there
}

const (
	absentID    = `{"column":"p.id"}`
	absentChild = `{"column":"c.id"}`
)

// of is the parent as a source.
func (s saying) of() string { return `"from":{"table":"` + s.parent + `","as":"p"},` }

// inner is the child as a source, with the second step.
func (s saying) inner() string {
	return `"from":{"table":"` + s.child + `","as":"c"}` + keyOf("joins", s.more)
}

func (s saying) theirsColumn() string { return fmt.Sprintf(`{"column":"c.%s"}`, s.theirs) }

// join is the child as a join of that kind.
func (s saying) join(kind, where string) string {
	return fmt.Sprintf(`{"table":"%s","as":"c","kind":"%s","on":[["p.%s","c.%s"]]%s}`, s.child, kind, s.own, s.theirs, conditioned(where))
}

// sub shows which parents the child's rows are of, and how many each has where counted.
func (s saying) sub(counted bool) string {
	n := ""
	if counted {
		n = `,{"expr":{"aggregate":{"func":"count"}},"as":"n"}`
	}
	return `{` + s.inner() + conditioned(s.where) + `,"select":[{"expr":` + s.theirsColumn() + `,"as":"x"}` + n + `]}`
}

// tied is a sub-plan over the rows of the parent at hand.
func (s saying) tied(item string) string {
	cond := fmt.Sprintf(`{"op":{"op":"=","args":[%s,{"column":"p.%s"}]}}`, s.theirsColumn(), s.own)
	if s.where != "" {
		cond = `{"op":{"op":"and","args":[` + s.where + `,` + cond + `]}}`
	}
	return `{"plan":{` + s.inner() + `,"where":` + cond + `,` + asID(item) + `}}`
}

// so is the condition, or one that says little.
func (s saying) so(otherwise string) string {
	if s.where != "" {
		return s.where
	}
	return `{"op":{"op":"is_not_null","args":[` + otherwise + `]}}`
}

func asID(e string) string { return `"select":[{"expr":` + e + `,"as":"id"}]` }

func isNone(n string) string { return `{"op":{"op":"=","args":[` + n + `,{"literal":{"value":0}}]}}` }

func countOf(filter string) string {
	if filter != "" {
		filter = `,"filter":` + filter
	}
	return `{"aggregate":{"func":"count","arg":` + absentChild + filter + `}}`
}

// said is the plan in that form.
func (s saying) said(form string) string {
	const id, grouped = absentID, `,"group_by":[` + absentID + `]`
	lacks := `"where":{"op":{"op":"is_null","args":[` + absentChild + `]}},` + asID(id)
	notIn := func(plan string) string {
		return s.of() + fmt.Sprintf(`"where":{"op":{"op":"not_in","args":[{"column":"p.%s"},{"plan":%s}]}},`, s.own, plan) + asID(id)
	}
	block := func(kind string) string {
		return s.of() + fmt.Sprintf(`"joins":[{"as":"b","kind":"%s","plan":%s,"on":[["p.%s","b.x"]]}],`, kind, s.sub(true), s.own)
	}
	switch form {
	case "anti join":
		return s.of() + keyOf("joins", s.join("anti", s.where), s.more)[1:] + `,` + asID(id)
	case "outer join":
		return s.of() + `"joins":[` + s.join("left", s.where) + `],` + lacks
	case "right join":
		last := fmt.Sprintf(`{"table":"%s","as":"p","kind":"right","on":[["c.%s","p.%s"]]}`, s.parent, s.theirs, s.own)
		return `"from":{"table":"` + s.child + `","as":"c"}` + keyOf("joins", s.more, last) + `,` + lacks
	case "not in":
		return notIn(s.sub(false))
	case "not exists":
		return s.of() + `"where":{"op":{"op":"not_exists","args":[` + s.tied(absentChild) + `]}},` + asID(id)
	case "except":
		return `"set":{"op":"except","plans":[{` + s.of() + asID(`{"column":"p.`+s.own+`"}`) + `},` + s.sub(false) + `]}`
	case "count of none":
		return s.of() + `"joins":[` + s.join("left", s.where) + `],"having":` + isNone(countOf("")) + `,` + asID(id) + grouped
	case "count of a filter":
		return s.of() + `"joins":[` + s.join("left", "") + `],"having":` + isNone(countOf(s.so(absentChild))) + `,` + asID(id) + grouped
	case "number of a sub-plan":
		return s.of() + `"where":` + isNone(s.tied(`{"aggregate":{"func":"count"}}`)) + `,` + asID(id)
	case "number shown first":
		return `"from":{"as":"b","plan":{` + s.of() + `"joins":[` + s.join("left", s.where) + `],"select":[{"expr":` + id + `},{"expr":` + countOf("") + `,"as":"n"}]}},"where":` +
			isNone(`{"column":"b.n"}`) + `,` + asID(`{"column":"b.id"}`)
	case "block of none":
		return block("left") + `"where":` + isNone(`{"call":{"func":"coalesce","args":[{"column":"b.n"},{"literal":{"value":0}}]}}`) + `,` + asID(id)
	case "anti joined block":
		return block("anti") + asID(id)
	case "all of them":
		return s.of() + `"joins":[` + s.join("inner", "") + `],"having":{"aggregate":{"func":"bool_and","arg":` + s.so(s.theirsColumn()) + `}},` + asID(id) + grouped
	}
	return notIn(`{"from":{"as":"b","plan":` + s.sub(true) + `},"where":{"op":{"op":">","args":[{"column":"b.n"},{"literal":{"value":0}}]}},"select":[{"expr":{"column":"b.x"}}]}`)
}

// absence is a random one.
func (w *absentWorld) absence() *absence {
	l := w.link(w.pick("parent", "firms", "deals", "goods", "lines", "calls", "firms", "deals", "firms", "deals"))
	s := saying{absentLink: l, where: w.condition(l.child, "c")}
	a := &absence{form: w.pick("form", absentForms...), parent: l.parent, child: l.child, own: "id"}
	if a.form == "except" {
		a.own = l.own
	}
	if w.seldom("chain", 40) {
		n := w.link(l.child)
		s.more = fmt.Sprintf(`{"table":"%s","as":"d","on":[["c.%s","d.%s"]]%s}`, n.child, n.own, n.theirs, conditioned(w.condition(n.child, "d")))
	}
	a.source = `{"version":1,` + s.said(a.form) + `}`
	var err error
	if a.plan, err = plan.Decode([]byte(a.source)); err != nil {
		w.Fatalf("%v: %s", err, a.source)
	}
	return a
}

// conditioned is a condition as a key, with its comma.
func conditioned(where string) string {
	if where == "" {
		return ""
	}
	return `,"where":` + where
}

// listed is a key with those that aren't empty, with its comma.
func keyOf(key string, parts ...string) string {
	var there []string
	for _, p := range parts {
		if p != "" {
			there = append(there, p)
		}
	}
	if there == nil {
		return ""
	}
	return `,"` + key + `":[` + strings.Join(there, ",") + `]`
}
