package planner

import (
	"fmt"
	"slices"
	"sort"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// NewCurated checks the queries of curated.yaml and makes a planner of those
// that pass. Every fault is returned, with its place in the file.
func NewCurated(queries []configs.CuratedQuery, s configs.CuratedSettings) (*Curated, []configs.Fault) {
	c := &Curated{enabled: s.Enabled, floor: s.MatchFloor, topK: s.MatchTopK}
	var faults []configs.Fault
	ids := map[string]bool{}
	asked := map[string]string{}
	for _, q := range queries {
		l := &loading{q: q}
		v := l.verify()
		if ids[q.ID] {
			l.faultf("id", "%q is used twice", q.ID)
		}
		ids[q.ID] = true
		for _, f := range v.forms {
			key := q.Database + "\x00" + f.key()
			if other, taken := asked[key]; taken {
				l.faultf("question", "the same question is answered by %s", other)
			}
			asked[key] = q.ID
		}
		faults = append(faults, l.faults...)
		if len(l.faults) == 0 {
			c.queries = append(c.queries, v)
		}
	}
	return c, faults
}

// loading is one query being checked.
type loading struct {
	q      configs.CuratedQuery
	faults []configs.Fault
}

func (l *loading) faultf(key, format string, args ...any) {
	l.faults = append(l.faults, configs.Fault{Pos: l.q.Pos, Key: "queries." + l.q.ID + "." + key, Msg: fmt.Sprintf(format, args...)})
}

// verify parses the query and its questions and compares their parameters.
func (l *loading) verify() *verified {
	v := &verified{CuratedQuery: l.q}
	tree, names, err := stmt.ParseNamed(l.q.SQL, stmt.DefaultLimits())
	switch {
	case err != nil:
		l.faultf("sql", "%v", err)
	case tree.GetSelectStmt() == nil:
		l.faultf("sql", "a curated query is one SELECT")
	default:
		v.tree, v.params = tree, names
		v.tables = l.relations(tree)
	}
	l.declared(names)
	for _, question := range append([]string{l.q.Question}, l.q.Also...) {
		if t, ok := l.form(question); ok {
			v.forms = append(v.forms, t)
		}
	}
	l.values()
	v.about = subjectsOf(v)
	return v
}

// declared compares the parameters of the text with those declared.
func (l *loading) declared(used []string) {
	for _, name := range used {
		if _, ok := l.q.Params[name]; !ok {
			l.faultf("params", "the SQL uses :%s, which isn't declared", name)
		}
	}
	for _, name := range paramNames(l.q) {
		if l.faults == nil && !slices.Contains(used, name) {
			l.faultAt(name, "the SQL doesn't use :%s", name)
		}
	}
}

func (l *loading) faultAt(param, format string, args ...any) {
	pos := l.q.Params[param].Pos
	if pos.Line == 0 {
		pos = l.q.Pos
	}
	l.faults = append(l.faults, configs.Fault{Pos: pos, Key: "queries." + l.q.ID + ".params." + param, Msg: fmt.Sprintf(format, args...)})
}

func paramNames(q configs.CuratedQuery) []string {
	names := make([]string, 0, len(q.Params))
	for n := range q.Params {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// form reads one question. It must state every parameter without a default.
func (l *loading) form(question string) (template, bool) {
	t, ok := parseTemplate(question)
	if !ok || len(t.words) == 0 {
		l.faultf("question", "%q can't be read: a hole is {name}, with words between two of them", question)
		return t, false
	}
	for i, h := range t.holes {
		if _, ok := l.q.Params[h]; !ok {
			l.faultf("question", "{%s} in %q isn't a declared parameter", h, question)
		}
		if slices.Contains(t.holes[:i], h) {
			l.faultf("question", "{%s} stands twice in %q", h, question)
		}
	}
	for _, name := range paramNames(l.q) {
		if p := l.q.Params[name]; (p.Default == nil || p.Required) && !slices.Contains(t.holes, name) {
			l.faultf("question", "%q doesn't state {%s}, which has no default", question, name)
		}
	}
	return t, true
}

// values checks types, defaults and examples.
func (l *loading) values() {
	for _, name := range paramNames(l.q) {
		p := l.q.Params[name]
		if !slices.Contains([]string{"int", "number", "text", "date", "bool"}, p.Type) {
			l.faultAt(name, "the type is int, number, text, date or bool, not %q", p.Type)
			continue
		}
		if p.Default != nil {
			if _, ok := paramValue(p, textOfValue(p.Default)); !ok {
				l.faultAt(name, "the default %v is not a value that it takes", p.Default)
			}
		}
		if p.Example != nil {
			if _, ok := paramValue(p, textOfValue(p.Example)); !ok {
				l.faultAt(name, "the example %v is not a value that it takes", p.Example)
			}
		}
	}
}

// relation is a table as a query names it; an empty schema means whichever the
// search path finds.
type relation struct{ schema, table string }

// relations are the tables that a query reads, without its own WITH names. A
// part that writes or makes a table is a fault.
func (l *loading) relations(tree *pg_query.Node) []relation {
	var out []relation
	with := map[string]bool{}
	_ = stmt.Walk(tree, func(m protoreflect.Message, _ stmt.Path) error {
		switch n := m.Interface().(type) {
		case *pg_query.CommonTableExpr:
			with[n.Ctename] = true
		case *pg_query.RangeVar:
			out = append(out, relation{n.Schemaname, n.Relname})
		case *pg_query.InsertStmt, *pg_query.UpdateStmt, *pg_query.DeleteStmt, *pg_query.MergeStmt, *pg_query.IntoClause:
			l.faultf("sql", "a curated query only reads")
		}
		return nil
	})
	return slices.DeleteFunc(out, func(r relation) bool { return r.schema == "" && with[r.table] })
}

// readable is the reason why the asker may not have the query, nil where every
// table of it is one they may read.
func (q *verified) readable(c *catalog.Snapshot) error {
	for _, r := range q.tables {
		if !slices.ContainsFunc(c.Tables, func(t *catalog.Table) bool {
			return t.Name.Table == r.table && (r.schema == "" || r.schema == t.Name.Schema)
		}) {
			return &declineReason{code: reasonPolicyDenied}
		}
	}
	return nil
}
