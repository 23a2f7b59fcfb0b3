package policy

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
)

// routines are all functions of one name, in one schema.
type routines []routine

type routine struct {
	*catalog.Function
	// admitted tells that the policy allows it; callable, that none of its types
	// makes Postgres call another function that the policy doesn't allow.
	admitted, callable bool
}

// newRoutines keeps the names of which the rules admit at least one function.
func newRoutines(o *catalog.Objects, rules functionRules, code *typeCode) map[catalog.Name]routines {
	admitted := rules.admitted(o)
	out := map[catalog.Name]routines{}
	for i := range o.Functions {
		if f := &o.Functions[i]; admitted[f.OID] {
			out[routineName(f)] = nil
		}
	}
	for i := range o.Functions {
		f := &o.Functions[i]
		if list, ok := out[routineName(f)]; ok {
			out[routineName(f)] = append(list, routine{f, admitted[f.OID], admitted[f.OID] && code.ofFunction(f) == nil})
		}
	}
	return out
}

// callable tells whether a statement may call the function.
func (v *View) callable(f *catalog.Function) bool {
	return slices.ContainsFunc(v.routines[routineName(f)], func(r routine) bool { return r.OID == f.OID && r.callable })
}

// Functions are the names of the functions that people made and that the policy
// allows, sorted.
func (v *View) Functions() []catalog.Name {
	out := make([]catalog.Name, 0, len(v.routines))
	for n := range v.routines {
		out = append(out, n)
	}
	slices.SortFunc(out, compareNames)
	return out
}

// ofFunction is of for what a function takes and gives.
func (t *typeCode) ofFunction(f *catalog.Function) *catalog.TypeCode {
	for _, oid := range append([]uint32{f.Result}, f.Args...) {
		if c := t.of(oid); c != nil {
			return c
		}
	}
	return nil
}

// takes tells whether a function may be meant by a call, going by how many
// arguments it has.
func (f routine) takes(n *pg_query.FuncCall) bool {
	given := len(n.Args)
	if n.AggWithinGroup {
		return true
	}
	if f.Variadic {
		return given >= f.Least-1
	}
	return given >= f.Least && given <= len(f.Takes)
}

// routine judges a call of functions that people made, of one name and schema.
// Postgres chooses by the arguments' types: where it could choose one that isn't
// admitted, the call must have exactly the types of one that is.
func (j *judge) routine(list routines, n *pg_query.FuncCall, l *level) error {
	j.routines = true
	var allowed, others routines
	for _, f := range list {
		switch {
		case !f.takes(n):
		case f.callable:
			allowed = append(allowed, f)
		default:
			others = append(others, f)
		}
	}
	if len(allowed) == 0 {
		return j.view.deniedFunction(list[0].Name)
	}
	if len(others) == 0 {
		return nil
	}
	types := j.typesOf(n, l)
	if types != nil && slices.ContainsFunc(allowed, func(f routine) bool { return slices.Equal(f.Takes, types) }) {
		return nil
	}
	return deny(stateDenied, "permission denied for function %s", list[0].Name).
		withHint("Give the arguments exactly the types of %s, by casts.", signature(allowed[0].Function))
}

// admits tells whether every function that a call in a rule may mean is allowed.
func admits(known map[catalog.Name]routines, n *pg_query.FuncCall) bool {
	schema, name := functionParts(n.Funcname)
	if schema == "" || schema == builtinSchema {
		return true
	}
	list := known[catalog.Name{Schema: schema, Table: name}]
	return list != nil && !slices.ContainsFunc(list, func(f routine) bool { return f.takes(n) && !f.admitted })
}

// typesOf are the types of a call's arguments, nil where one isn't known or has
// a name, which may be another place's.
func (j *judge) typesOf(n *pg_query.FuncCall, l *level) []catalog.Name {
	if n.FuncVariadic || n.AggWithinGroup || n.AggStar {
		return nil
	}
	out := make([]catalog.Name, len(n.Args))
	for i, a := range n.Args {
		t, ok := j.exactType(a, l)
		if !ok {
			return nil
		}
		out[i] = t
	}
	return out
}

// exactType is the type of a cast, a number, a truth value or a column.
func (j *judge) exactType(n *pg_query.Node, l *level) (catalog.Name, bool) {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_TypeCast:
		// The array type of a type that people made has another name where that
		// was taken.
		t, ok := typeIdentity(x.TypeCast.TypeName)
		return t, ok && (len(x.TypeCast.TypeName.ArrayBounds) == 0 || t.Schema == builtinSchema)
	case *pg_query.Node_AConst:
		switch x.AConst.Val.(type) {
		case *pg_query.A_Const_Ival:
			return catalog.Name{Schema: builtinSchema, Table: "int4"}, true
		case *pg_query.A_Const_Boolval:
			return catalog.Name{Schema: builtinSchema, Table: "bool"}, true
		}
	case *pg_query.Node_ColumnRef:
		// A column of a catalog may be shown as another type.
		if c := j.grantedColumn(n, l); c != nil && !j.columnAt(n, l).src.grant.system {
			return catalog.Name{Schema: c.column.Type.Schema, Table: c.column.Type.Name}, true
		}
	}
	return catalog.Name{}, false
}
