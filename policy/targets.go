package policy

import pg_query "github.com/pganalyze/pg_query_go/v5"

// targets judges the select list and finds the output names.
func (j *judge) targets(list []*pg_query.Node, l *level) (outputs, error) {
	var out outputs
	for _, n := range list {
		t := n.GetResTarget()
		if t == nil || len(t.Indirection) > 0 {
			return out, unsupported("this select list", "Name the columns.")
		}
		j.mark(n)
		j.mark(t)
		if isStar(t.Val) {
			if err := j.star(t.Val, l, &out); err != nil {
				return out, err
			}
			continue
		}
		kind := j.standsFor(t.Val, l)
		if err := j.walk(t.Val, l); err != nil {
			return out, err
		}
		out.reg(kind)
		if meant := j.clientFigure(t.Val); t.Name == "" && meant != j.figure(t.Val) {
			t.Name = orUnnamed(meant)
		}
		name := t.Name
		if name == "" {
			name = orUnnamed(j.figure(t.Val))
		}
		if fields := j.functionRow(t.Val, l); len(fields) > 0 {
			if out.rows == nil {
				out.rows = map[int][]string{}
			}
			out.rows[len(out.names)] = fields
		}
		out.names = append(out.names, name)
		l.targets = append(l.targets, target{name: name, column: j.columnOf(t.Val, l)})
	}
	return out, nil
}

// functionRow are the fields of an expression that is the row of a function
// whose columns are known; nil for any other.
func (j *judge) functionRow(n *pg_query.Node, l *level) []string {
	if c := j.columnAt(n, l); c != nil {
		return c.fields
	}
	_, name := functionParts(n.GetFuncCall().GetFuncname())
	if fields := j.view.sets[name]; len(fields) > 1 {
		return fields
	}
	return nil
}

// star judges *, x.* and (x).* in a select list.
func (j *judge) star(n *pg_query.Node, l *level, out *outputs) error {
	j.mark(n)
	if x := n.GetAIndirection(); x != nil {
		fields, err := j.rowFields(x, l)
		if err != nil {
			return err
		}
		for i := range fields {
			out.names = append(out.names, fields[i].name)
			l.targets = append(l.targets, target{fields[i].name, &fields[i]})
		}
		return nil
	}
	ref := n.GetColumnRef()
	j.mark(ref)
	if len(ref.Fields) == 1 {
		if err := j.spreadItems(l.items); err != nil {
			return err
		}
		cols, open := bare(l.items)
		cols = listed(cols)
		for i := range cols {
			out.reg(cols[i].reg)
			out.names = append(out.names, cols[i].name)
			l.targets = append(l.targets, target{cols[i].name, &cols[i]})
			l.refs = append(l.refs, reference{column: cols[i]})
		}
		out.open, l.openTargets = out.open || open, l.openTargets || open
		return nil
	}
	it, at, err := j.qualifier(ref, l)
	if err != nil {
		return err
	}
	if err := j.spread(len(it.columns)); err != nil {
		return err
	}
	cols := listed(it.columns)
	for i := range cols {
		out.reg(cols[i].reg)
		out.names = append(out.names, cols[i].name)
		l.targets = append(l.targets, target{cols[i].name, &cols[i]})
		at.refs = append(at.refs, reference{column: cols[i]})
	}
	out.open, l.openTargets = out.open || it.open, l.openTargets || it.open
	return nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// bareName is the name when a node is a column reference of one part.
func bareName(n *pg_query.Node) (string, bool) {
	f := n.GetColumnRef().GetFields()
	if len(f) != 1 || f[0].GetString_() == nil {
		return "", false
	}
	return f[0].GetString_().Sval, true
}

// isStar tells whether a node is *, x.* or (x).*.
func isStar(n *pg_query.Node) bool {
	f := n.GetColumnRef().GetFields()
	if x := n.GetAIndirection(); x != nil {
		f = x.Indirection
	}
	return len(f) > 0 && f[len(f)-1].GetAStar() != nil
}
