package policy

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// coalesce is COALESCE(a, b).
func coalesce(a, b *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_CoalesceExpr{CoalesceExpr: &pg_query.CoalesceExpr{Args: []*pg_query.Node{a, b}}}}
}

// toLookup answers to_regclass and its like: a name that the view may not know
// is null.
func (j *judge) toLookup(kind string, call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	number := j.numbers[call]
	null := stmt.Cast(stmt.Null(), typeNamed(stands(number)))
	arg := call.Args[0]
	text := arg.GetAConst().GetSval()
	switch {
	case kind == "regrole":
		n := stmt.Cast(arg, typeNamed(kind))
		if err := j.roleCast(n, l); err != nil {
			return null, nil
		}
		return n, nil
	case text != nil && j.view.find(kind, text.Sval) == 0 && !j.view.builtinLiteral(kind, text.Sval):
		return null, nil
	case text != nil && j.view.builtinLiteral(kind, text.Sval) && kind != "regclass" && j.view.find(kind, text.Sval) == 0:
		// Postgres answers itself, with null for what it doesn't have.
		return stmt.Cast(stmt.Call([]string{"to_" + kind}, arg), typeNamed(stands(number))), nil
	case text != nil:
		n := stmt.Cast(arg, typeNamed(kind))
		return n, j.lookupLiteral(n, kind, text.Sval, number)
	}
	if err := j.singleRow(arg); err != nil {
		return nil, err
	}
	if err := j.walk(arg, l); err != nil {
		return nil, err
	}
	return j.view.rendered(j.view.byName(arg, kind), kind, number), j.charge(j.view.names().nameBytes)
}

// visibility asks Postgres about its own objects: the backend's search_path
// holds only pg_catalog.
//
//	COALESCE(pg_table_is_visible(guard(x)), x = ANY ('{…}'::oid[]))
func (j *judge) visibility(set objectSet, call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	x := call.Args[0]
	if err := j.oidArgument(x, "", l); err != nil {
		return nil, err
	}
	seen, list := j.view.visible(), []uint32(nil)
	switch set {
	case setRelations:
		list = seen.onPath
	case setTypes:
		list = seen.typesOnPath
	case setFunctions:
		list = seen.functionsOnPath
	}
	call.Args[0] = j.view.guard(x, setSystem)
	own := &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: call}}
	return coalesce(own, anyOf(stmt.Cast(stmt.Clone(x), typeNamed("oid")), oidsConst(list))), nil
}

// functionArguments leaves out the defaults of functions that people made:
// they are expressions.
func (j *judge) functionArguments(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	x := call.Args[0]
	if err := j.oidArgument(x, "", l); err != nil {
		return nil, err
	}
	call.Args[0] = j.view.guard(x, setSystem)
	own := &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: call}}
	return coalesce(own, stmt.Call([]string{"pg_get_function_identity_arguments"}, j.view.guard(stmt.Clone(x), setSignatures))), nil
}

// commented is the set that a catalog's comments belong to.
func commented(class *pg_query.Node) objectSet {
	switch strings.ToLower(class.GetAConst().GetSval().GetSval()) {
	case "", "pg_largeobject": // which may have any OID
		return setNone
	case "pg_class":
		return setRelations
	case "pg_type":
		return setTypes
	case "pg_proc":
		return setFunctions
	case "pg_namespace":
		return setSchemas
	case "pg_constraint":
		return setConstraints
	}
	return setSystem
}

// objectComment guards an object of the catalog that is named; without one, a
// relation is meant.
func (j *judge) objectComment(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	if len(call.Args) == 1 {
		call.Args = append(call.Args, stmt.StringConst("pg_class"))
	}
	if c := call.Args[1].GetTypeCast(); c != nil && c.Arg.GetAConst().GetSval() != nil {
		call.Args[1] = c.Arg
	}
	set := commented(call.Args[1])
	if set == setNone {
		return nil, unsupported("obj_description of a catalog that isn't a literal", "Name the catalog: obj_description(oid, 'pg_class').")
	}
	if err := j.guardCall(call, set, l); err != nil {
		return nil, err
	}
	return &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: call}}, nil
}

// columnComment needs both arguments to tell.
func (j *judge) columnComment(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	if err := j.oidArgument(call.Args[0], "", l); err != nil {
		return nil, err
	}
	if err := j.oidArgument(call.Args[1], "", l); err != nil {
		return nil, err
	}
	return j.view.comment(call.Args[0], call.Args[1]), nil
}

// comment is the comment on a column that is shown:
//
//	(SELECT CASE WHEN g.a of the relations AND NOT g.a::int8 * 65536 + g.b = ANY ('{…}'::int8[]) THEN col_description(g.a, g.b) END
//	 FROM (SELECT x::oid AS a, n::int4 AS b OFFSET 0) AS g)
func (v *View) comment(x, n *pg_query.Node) *pg_query.Node {
	a, b := stmt.Column("g", "a"), stmt.Column("g", "b")
	shown := stmt.And(v.among(a, setRelations), stmt.Not(v.hiddenColumn(stmt.Clone(a), b)))
	return once(caseWhen(shown, stmt.Call([]string{"col_description"}, stmt.Clone(a), stmt.Clone(b)), nil),
		stmt.Cast(x, typeNamed("oid")), stmt.Cast(n, typeNamed("int4")))
}

// hiddenColumn is the condition that a column is one of the denied ones of a
// permitted relation.
func (v *View) hiddenColumn(relation, number *pg_query.Node) *pg_query.Node {
	return anyOf(attributeKey(relation, number), attributesConst(v.visible().hidden))
}

// attributeKey is a column as one number, as attributesConst writes it.
func attributeKey(relation, number *pg_query.Node) *pg_query.Node {
	return stmt.Op("+", stmt.Op("*", stmt.Cast(relation, typeNamed("int8")), stmt.IntConst(65536)), number)
}

// guardedComment is the call inside exactly what comment writes, nil for
// anything else.
func (v *View) guardedComment(n *pg_query.Node) *pg_query.FuncCall {
	s := n.GetSubLink().GetSubselect().GetSelectStmt()
	if s == nil || len(s.FromClause) != 1 || len(s.TargetList) != 1 {
		return nil
	}
	cases := s.TargetList[0].GetResTarget().GetVal().GetCaseExpr().GetArgs()
	inner := s.FromClause[0].GetRangeSubselect().GetSubquery().GetSelectStmt().GetTargetList()
	if len(cases) != 1 || len(inner) != 2 {
		return nil
	}
	call := cases[0].GetCaseWhen().GetResult().GetFuncCall()
	if _, name := functionParts(call.GetFuncname()); name != "col_description" {
		return nil
	}
	x, k := inner[0].GetResTarget().GetVal().GetTypeCast().GetArg(), inner[1].GetResTarget().GetVal().GetTypeCast().GetArg()
	if x == nil || k == nil || !stmt.Equal(n, v.comment(x, k)) {
		return nil
	}
	return call
}

// owner: whoever owns something is shown as the user.
func (j *judge) owner(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	return j.judged(nameConst(j.view.role.User), call, l)
}

func (j *judge) currentSchemas(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	own := arrayOf(quotedElements(j.view.role.SearchPath), "name")
	all := arrayOf(quotedElements(append([]string{builtinSchema}, j.view.role.SearchPath...)), "name")
	implicit := call.Args[0]
	if b, ok := implicit.GetAConst().GetVal().(*pg_query.A_Const_Boolval); ok {
		if b.Boolval.Boolval {
			return all, nil
		}
		return own, nil
	}
	return caseWhen(implicit, all, own), j.walk(implicit, l)
}

// typeOfValue is a type's name, as text: see lookupType. It is null for a row type
// that isn't shown, which a column that is may have.
func (j *judge) typeOfValue(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	if err := j.all(call.Args, l); err != nil {
		return nil, err
	}
	n := stmt.Cast(&pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: call}}, typeNamed("text"))
	for _, name := range j.view.names().hiddenTypes {
		n = pg_query.MakeAExprNode(pg_query.A_Expr_Kind_AEXPR_NULLIF, stmt.Names("="), n, stmt.StringConst(name), 0)
	}
	return n, nil
}

// noACL is the only argument that aclexplode gets: a literal would tell which
// roles exist.
func noACL() *pg_query.Node { return stmt.Cast(stmt.Null(), typeNamed("aclitem[]")) }

func (j *judge) explodeACL(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	before := j.params
	j.params = 0
	err := j.all(call.Args, l)
	if err == nil && j.params > 0 {
		err = unsupported("a parameter of aclexplode", "Privileges are not shown; leave it out.")
	}
	j.params = max(j.params, before)
	call.Args = []*pg_query.Node{noACL()}
	return &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: call}}, err
}

// ancestors answers from the snapshot, with permitted relations only.
//
//	unnest((SELECT CASE WHEN g.a = 16410 THEN '{16410,16400}'::oid[] … END FROM (SELECT x::oid AS a OFFSET 0) AS g))
func (j *judge) ancestors(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	x := call.Args[0]
	if err := j.oidArgument(x, "regclass", l); err != nil {
		return nil, err
	}
	known := &pg_query.CaseExpr{}
	value := stmt.Column("g", "a")
	for _, n := range j.view.sortedNames() {
		list := j.view.line(n)
		if len(list) == 0 {
			continue
		}
		known.Args = append(known.Args, caseWhen(stmt.Op("=", stmt.Clone(value), stmt.Cast(oidConst(list[0]), typeNamed("oid"))), oidsConst(list), nil).GetCaseExpr().Args...)
	}
	result := stmt.Cast(stmt.Null(), typeNamed("oid[]"))
	if len(known.Args) > 0 {
		result = &pg_query.Node{Node: &pg_query.Node_CaseExpr{CaseExpr: known}}
	}
	return stmt.Call([]string{"unnest"}, once(result, stmt.Cast(x, typeNamed("oid")))), nil
}

// line is a partition or partitioned table with its ancestors, upwards, as far
// as they are permitted.
func (v *View) line(n catalog.Name) []uint32 {
	var out []uint32
	t := v.snapshot.Table(n)
	if t == nil || !t.Partition && t.Kind != catalog.KindPartitioned {
		return nil
	}
	for range len(v.snapshot.Tables) {
		if t == nil {
			break
		}
		if g := v.grants[t.Name]; g != nil && g.broken == nil {
			out = append(out, t.OID)
		} else if len(out) == 0 {
			return nil
		}
		if !t.Partition {
			break
		}
		t = v.snapshot.Table(t.Parent)
	}
	return out
}
