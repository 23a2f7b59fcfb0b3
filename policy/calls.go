package policy

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// call judges a function call: its name by the allow-list, then its arguments
// and everything else that hangs on it.
func (j *judge) call(n *pg_query.FuncCall, l *level) error {
	if err := j.functionName(n, l); err != nil {
		return err
	}
	_, name := functionParts(n.Funcname)
	if err := j.takesRows(n, name, l); err != nil {
		return err
	}
	if err := j.configuration(n, name, l); err != nil {
		return err
	}
	if name == "pg_options_to_table" {
		j.options++
		defer func() { j.options-- }()
	}
	aggregate := j.view.builtins[name] == functionAggregate && n.Over == nil || n.AggStar || n.AggFilter != nil || n.AggWithinGroup
	if aggregate {
		j.aggregates++
		defer func() { j.aggregates-- }()
	}
	return stmt.Children(n, func(c proto.Message) error { return j.walk(c, l) })
}

// takesRows refuses whole rows as arguments of functions that aren't made for
// them: f(x) may mean the column f of the row x, or a function of the table's
// own row type.
func (j *judge) takesRows(n *pg_query.FuncCall, name string, l *level) error {
	if strings.Contains(rowFunctions, " "+name+" ") {
		return nil
	}
	for _, arg := range n.Args {
		if wholeRow(arg, l) {
			return unsupported("a whole row as an argument of "+name, "Pass columns: table.column.")
		}
	}
	return nil
}

// rowFunctions are the built-ins that take a value of any type, rows included.
const rowFunctions = " to_json to_jsonb row_to_json json_agg jsonb_agg array_agg count json_build_array json_build_object " +
	"jsonb_build_array jsonb_build_object json_object_agg jsonb_object_agg num_nulls num_nonnulls pg_typeof concat concat_ws format " +
	"first_value last_value nth_value lag lead "

// wholeRow tells whether a node is the row of a FROM item: x or x.*.
func wholeRow(n *pg_query.Node, l *level) bool {
	f := n.GetColumnRef().GetFields()
	if len(f) > 1 {
		return f[len(f)-1].GetAStar() != nil
	}
	name, ok := bareName(n)
	if !ok {
		return false
	}
	for at := l; at != nil; at = at.parent {
		if c, _, open := at.local(name); c != nil || open {
			return false
		}
	}
	it, _, _ := l.named(name)
	return it != nil
}

// functionName checks the name and, for a function that the policy adds,
// writes its schema: the backend's search_path holds only pg_catalog.
func (j *judge) functionName(n *pg_query.FuncCall, l *level) error {
	v := j.view
	schema, name, ok := nameParts(n.Funcname)
	if !ok {
		return v.deniedFunction("?")
	}
	if j.cleared[n] || schema == informationSchema && informationFunction(name) && !anyFunction(v.functions.deny, schema, name) {
		return nil
	}
	if schema == "" || schema == builtinSchema {
		known := v.builtins[name] != functionUnknown || anyFunction(v.functions.allow, builtinSchema, name) || j.opts.CleanUp && name == unlockAll
		if known && !anyFunction(v.functions.deny, builtinSchema, name) {
			return nil
		}
		if schema != "" {
			return v.deniedFunction(name)
		}
	}
	candidates := []string{schema}
	if schema == "" {
		candidates = v.role.SearchPath
	}
	for _, s := range candidates {
		if list := v.routines[catalog.Name{Schema: s, Table: name}]; list != nil {
			n.Funcname = stmt.Names(s, name)
			return j.routine(list, n, l)
		}
	}
	return v.deniedFunction(name)
}

// unlockAll gives back locks that no governed session can have taken.
const unlockAll = "pg_advisory_unlock_all"

// answer replaces questions about the session: the backend's login and pinned
// search_path are not the user's. It returns nil for any other node.
func (j *judge) answer(n *pg_query.Node) *pg_query.Node {
	if f := n.GetSqlvalueFunction(); f != nil {
		switch f.Op {
		case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_USER, pg_query.SQLValueFunctionOp_SVFOP_USER,
			pg_query.SQLValueFunctionOp_SVFOP_SESSION_USER, pg_query.SQLValueFunctionOp_SVFOP_CURRENT_ROLE:
			return nameConst(j.view.role.User)
		case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_SCHEMA:
			return nameConst(j.view.role.SearchPath[0])
		}
		return nil
	}
	call := n.GetFuncCall()
	if call == nil || call.Over != nil || call.AggFilter != nil {
		return nil
	}
	schema, name, ok := nameParts(call.Funcname)
	if !ok || schema != "" && schema != builtinSchema {
		return nil
	}
	switch {
	case name == "current_schema" && len(call.Args) == 0:
		return nameConst(j.view.role.SearchPath[0])
	case name == "current_database" && len(call.Args) == 0:
		return nameConst(j.view.snapshot.Database)
	}
	return nil
}

func nameConst(s string) *pg_query.Node {
	t := &pg_query.TypeName{Names: stmt.Names("name"), Typemod: -1}
	return stmt.Cast(stmt.StringConst(s), t)
}
