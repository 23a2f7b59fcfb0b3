package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// columnRef resolves a column as Postgres will. It returns nil without an error
// for a whole row, a star, or a column that comes from something open.
func (j *judge) columnRef(n *pg_query.ColumnRef, l *level) (*column, error) {
	j.mark(n)
	if name, ok := bareName(&pg_query.Node{Node: &pg_query.Node_ColumnRef{ColumnRef: n}}); ok {
		return j.bareColumn(n, name, l)
	}
	if len(n.Fields) == 1 {
		return nil, nil // * inside count(*) has no ColumnRef; here it is ROW(*), which Postgres refuses
	}
	it, at, err := j.qualifier(n, l)
	if err != nil {
		return nil, err
	}
	last := n.Fields[len(n.Fields)-1]
	if last.GetAStar() != nil {
		if it.renamed() {
			return nil, renamedRow()
		}
		if err := j.spread(len(it.columns)); err != nil {
			return nil, err
		}
		for _, c := range listed(it.columns) {
			at.refs = append(at.refs, reference{c, j.aggregates > 0})
		}
		return nil, nil
	}
	name := last.GetString_().GetSval()
	switch c := it.find(name); {
	case it.denied[name]:
		return nil, j.view.deniedColumn(it.name, name, l)
	case c != nil:
		j.notesWithheld(n, c, it.name, l)
		at.refs = append(at.refs, reference{*c, j.aggregates > 0})
		return c, nil
	case it.open:
		return nil, unsupported("a column of a function whose columns are not known", "Give the columns names: … AS f(a, b).")
	}
	return nil, j.view.unknownColumn(it.name, name, l)
}

// bareColumn resolves a name without a qualifier: a column of the innermost
// level that has it, else the row of a FROM item. A denied column of any level
// on the way might be what was meant: it is refused, not found further out.
func (j *judge) bareColumn(n *pg_query.ColumnRef, name string, l *level) (*column, error) {
	maybe := false
	for at := l; at != nil; at = at.parent {
		c, denied, open := at.local(name)
		if denied {
			return nil, j.view.deniedColumn("", name, l)
		}
		if c != nil {
			j.notesWithheld(n, c, "", l)
			at.refs = append(at.refs, reference{*c, j.aggregates > 0})
			return c, nil
		}
		maybe = maybe || open
	}
	if it, _, _ := l.named(name); it != nil {
		if it.renamed() {
			return nil, renamedRow()
		}
		if it.rename != "" {
			n.Fields[0] = stmt.String(it.rename)
		}
		return nil, nil
	}
	if maybe {
		return nil, nil
	}
	return nil, j.view.unknownColumn("", name, l)
}

// renamed tells that the item is a relation with other names for its columns.
// Its whole row has the relation's names all the same, a subselect's wouldn't.
func (it *item) renamed() bool {
	if it.grant == nil {
		return false
	}
	for _, c := range it.columns {
		if c.name != c.base {
			return true
		}
	}
	return false
}

func renamedRow() *Denied {
	return unsupported("the whole row of a table with column aliases", "Leave the column aliases out, or name the columns.")
}

// qualifier finds what the parts before the last name: an alias, or a real
// relation by its schema (and database), which is rewritten to its alias.
func (j *judge) qualifier(n *pg_query.ColumnRef, l *level) (*item, *level, error) {
	parts := make([]string, len(n.Fields)-1)
	for i := range parts {
		s := n.Fields[i].GetString_()
		if s == nil {
			return nil, nil, unsupported("this reference", "Name the column as table.column.")
		}
		parts[i] = s.Sval
	}
	if len(parts) == 1 {
		it, at, _ := l.named(parts[0])
		if it == nil {
			return nil, nil, j.view.unknownQualifier(parts[0], l)
		}
		if it.rename != "" {
			n.Fields[0] = stmt.String(it.rename)
		}
		return it, at, nil
	}
	if len(parts) == 3 && parts[0] == j.view.snapshot.Database {
		parts = parts[1:]
	}
	if len(parts) != 2 {
		return nil, nil, j.view.unknownQualifier(parts[0], l)
	}
	it, at := l.relation(catalog.Name{Schema: parts[0], Table: parts[1]})
	if it == nil {
		return nil, nil, j.view.unknownQualifier(parts[1], l)
	}
	if seen, _, several := l.named(it.name); seen != it || several {
		return nil, nil, unsupported("this qualified name", "Give the table an alias and write alias.column.")
	}
	n.Fields = append([]*pg_query.Node{stmt.String(it.name)}, n.Fields[len(n.Fields)-1])
	return it, at, nil
}

// indirection judges (x).f and x[i]. A field may be a call of a function of
// that name, so it is allowed only where the fields are known.
func (j *judge) indirection(n *pg_query.A_Indirection, l *level) error {
	for i, step := range n.Indirection {
		j.mark(step)
		switch {
		case step.GetAIndices() != nil:
			if err := j.walk(step, l); err != nil {
				return err
			}
		case i == 0:
			fields, err := j.rowFields(n, l)
			if err != nil {
				return err
			}
			name := step.GetString_().GetSval()
			if step.GetAStar() == nil && columnNamed(fields, name) == nil {
				return j.view.unknownColumn("", name, l)
			}
			return j.laterSteps(n.Indirection[1:], l)
		default:
			return unsupportedField()
		}
	}
	return j.walk(n.Arg, l)
}

// laterSteps lets only subscripts follow a field.
func (j *judge) laterSteps(steps []*pg_query.Node, l *level) error {
	for _, s := range steps {
		if s.GetAIndices() == nil {
			return unsupportedField()
		}
		if err := j.walk(s, l); err != nil {
			return err
		}
	}
	return nil
}

func unsupportedField() *Denied {
	return unsupported("a field of this row expression", "Name the column as table.column.")
}

// rowFields are the fields of the row that (x).f takes one of: x is the row of
// a FROM item, or a call of a function whose columns are known.
func (j *judge) rowFields(n *pg_query.A_Indirection, l *level) ([]column, error) {
	j.mark(n)
	if call := n.Arg.GetFuncCall(); call != nil {
		_, name := functionParts(call.Funcname)
		fields := j.view.sets[name]
		if len(fields) == 0 {
			return nil, unsupportedField()
		}
		return plainColumns(fields), j.walk(n.Arg, l)
	}
	ref := n.Arg.GetColumnRef()
	if ref == nil {
		return nil, unsupportedField()
	}
	if c := j.columnAt(n.Arg, l); c != nil && len(c.fields) > 0 {
		j.mark(n.Arg)
		_, err := j.columnRef(ref, l)
		return plainColumns(c.fields), err
	}
	it, at, err := j.rowItem(ref, l)
	if err != nil {
		return nil, err
	}
	if it == nil || it.open {
		return nil, unsupportedField()
	}
	j.mark(n.Arg)
	j.mark(ref)
	if err := j.spread(len(it.columns)); err != nil {
		return nil, err
	}
	for _, c := range it.columns {
		at.refs = append(at.refs, reference{c, j.aggregates > 0})
	}
	switch field := n.Indirection[0].GetString_(); {
	case field == nil:
		return listed(it.columns), nil
	case it.find(field.Sval) != nil:
		return it.columns, nil
	case it.denied[field.Sval]:
		return nil, j.view.deniedColumn(it.name, field.Sval, l)
	default:
		return nil, j.view.unknownColumn(it.name, field.Sval, l)
	}
}

// rowItem finds the FROM item whose whole row a reference means: x, or x.*.
func (j *judge) rowItem(ref *pg_query.ColumnRef, l *level) (*item, *level, error) {
	last := ref.Fields[len(ref.Fields)-1]
	if last.GetAStar() != nil && len(ref.Fields) > 1 {
		return j.qualifier(ref, l)
	}
	name, ok := bareName(&pg_query.Node{Node: &pg_query.Node_ColumnRef{ColumnRef: ref}})
	if !ok {
		return nil, nil, unsupportedField()
	}
	for at := l; at != nil; at = at.parent {
		if c, denied, open := at.local(name); c != nil || denied || open {
			return nil, nil, unsupportedField() // a column of a row type, or possibly one
		}
	}
	it, at, _ := l.named(name)
	if it == nil {
		return nil, nil, j.view.unknownColumn("", name, l)
	}
	if it.rename != "" {
		ref.Fields[0] = stmt.String(it.rename)
	}
	return it, at, nil
}

// columnOf is the column that a node is, unchanged; nil for anything else. The
// node was judged already.
func (j *judge) columnOf(n *pg_query.Node, l *level) *column {
	f := n.GetColumnRef().GetFields()
	if len(f) == 0 || len(f) > 2 || f[len(f)-1].GetString_() == nil {
		return nil
	}
	name := f[len(f)-1].GetString_().Sval
	if len(f) == 2 {
		if it, _, _ := l.named(f[0].GetString_().GetSval()); it != nil {
			return it.find(name)
		}
		return nil
	}
	c, _, _ := l.local(name)
	return c
}
