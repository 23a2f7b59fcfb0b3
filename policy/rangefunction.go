package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// rangeFunction judges functions in FROM, which may always use the items before
// them.
func (j *judge) rangeFunction(r *pg_query.RangeFunction, l *level, left []*item) ([]*item, error) {
	j.mark(r)
	at := &level{parent: l.parent, items: left, ctes: l.ctes}
	it := &item{byColumn: true}
	if r.Alias != nil {
		it.name, it.byName = r.Alias.Aliasname, true
	}
	if !j.verify && callsAncestors(r) {
		nameAncestors(r)
	}
	for _, f := range r.Functions {
		j.mark(f)
		if err := j.oneFunction(r, f.GetList(), at, it); err != nil {
			return nil, err
		}
	}
	if r.Alias == nil && len(r.Functions) == 1 {
		it.name, it.byName = j.figure(functionOf(r.Functions[0])), true
	}
	if err := j.columnDefs(r.Coldeflist, at, it); err != nil {
		return nil, err
	}
	if r.Ordinality {
		it.columns = append(it.columns, column{name: "ordinality"})
	}
	return []*item{it}, renameColumns(it, r.Alias)
}

func functionOf(n *pg_query.Node) *pg_query.Node {
	if items := n.GetList().GetItems(); len(items) > 0 {
		return items[0]
	}
	return nil
}

// oneFunction judges one function of a ROWS FROM list, which is a pair of the
// call and its column definitions.
func (j *judge) oneFunction(r *pg_query.RangeFunction, pair *pg_query.List, at *level, it *item) error {
	j.mark(pair)
	if pair == nil || len(pair.Items) == 0 {
		return unsupported("this function in FROM", "Call a function by its name.")
	}
	f := pair.Items[0]
	called := f.GetFuncCall() != nil
	if err := j.walk(f, at); err != nil {
		return err
	}
	if called && f.GetFuncCall() == nil {
		return unsupported("this function in FROM", "Call it in the select list.")
	}
	if len(pair.Items) > 1 && pair.Items[1].GetList() != nil {
		return j.columnDefs(pair.Items[1].GetList().Items, at, it)
	}
	if len(r.Coldeflist) > 0 {
		return nil
	}
	return j.functionColumns(r, f, it)
}

// functionColumns finds the columns that a function has in FROM.
func (j *judge) functionColumns(r *pg_query.RangeFunction, f *pg_query.Node, it *item) error {
	name := j.figure(f)
	schema, fn := functionParts(f.GetFuncCall().GetFuncname())
	outs, known := j.view.sets[fn]
	_, access := j.view.access[fn]
	builtin := f.GetFuncCall() == nil || schema == informationSchema && informationFunction(fn) ||
		(schema == "" || schema == builtinSchema) && (access || j.view.builtins[fn] != functionUnknown)
	switch {
	case !builtin:
		it.open = true
	case known && outs == nil:
		return unsupported("this function without a column list", "Write … AS t(name type, …).")
	case len(outs) > 0:
		it.columns = append(it.columns, plainColumns(outs)...)
		return nil
	case fn == "unnest":
		return j.unnestColumns(r, f, it)
	}
	it.columns = append(it.columns, column{name: j.scalarName(r, name)})
	return nil
}

// unnestColumns: one column for each array. What is unnested may be rows or a
// tsvector, whose columns aren't known.
func (j *judge) unnestColumns(r *pg_query.RangeFunction, f *pg_query.Node, it *item) error {
	args := f.GetFuncCall().Args
	if len(args) > 1 {
		for range args {
			it.columns = append(it.columns, column{name: "unnest"})
		}
		return nil
	}
	it.open = it.open || j.view.composites
	it.columns = append(it.columns, column{name: j.scalarName(r, "unnest")})
	return nil
}

// scalarName is the column of a function that returns one value: the alias,
// when there is one function only.
func (j *judge) scalarName(r *pg_query.RangeFunction, name string) string {
	if r.Alias != nil && len(r.Functions) == 1 {
		return r.Alias.Aliasname
	}
	return name
}

// columnDefs judges a column definition list.
func (j *judge) columnDefs(list []*pg_query.Node, at *level, it *item) error {
	for _, n := range list {
		d := n.GetColumnDef()
		if d == nil || d.TypeName == nil || len(d.Constraints) > 0 || d.RawDefault != nil || d.CookedDefault != nil ||
			d.IdentitySequence != nil || len(d.Fdwoptions) > 0 || d.Compression != "" {
			return unsupported("this column definition", "Write name type.")
		}
		j.mark(n)
		j.mark(d)
		if err := j.walk(d.TypeName, at); err != nil {
			return err
		}
		if d.CollClause != nil {
			if err := j.walk(d.CollClause, at); err != nil {
				return err
			}
		}
		it.columns = append(it.columns, column{name: d.Colname})
	}
	return nil
}

// callsAncestors tells whether the item is a call of pg_partition_ancestors,
// which another call will stand for.
func callsAncestors(r *pg_query.RangeFunction) bool {
	if len(r.Functions) != 1 {
		return false
	}
	schema, name := functionParts(functionOf(r.Functions[0]).GetFuncCall().GetFuncname())
	return name == ancestorsFunction && (schema == "" || schema == builtinSchema)
}

// nameAncestors keeps the column's name.
func nameAncestors(r *pg_query.RangeFunction) {
	if r.Alias == nil {
		r.Alias = stmt.AliasOf(ancestorsFunction)
	}
	if len(r.Alias.Colnames) == 0 {
		r.Alias.Colnames = stmt.Names("relid")
	}
}
