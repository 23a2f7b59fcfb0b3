package policy

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/stmt"
)

// lookupCast judges a cast to a reg type and writes what stands for it.
func (j *judge) lookupCast(n *pg_query.Node, kind string, array bool, l *level) error {
	c, number := n.GetTypeCast(), j.numbers[n.GetTypeCast()]
	text := c.Arg.GetAConst().GetSval()
	switch {
	case c.Arg.GetAConst().GetIsnull():
		n.Node = stmt.Cast(stmt.Null(), typeNamed(stands(number)+map[bool]string{true: "[]"}[array])).Node
		return nil
	case kind == "regrole":
		return j.roleCast(n, l)
	case array && plainArray(text.GetSval()):
		return j.lookupList(n, kind, text.Sval, number, l)
	case array:
		return j.lookupArray(n, kind, number, l)
	case unnests(c.Arg):
		return j.lookupElements(n, kind, number, l)
	case text != nil:
		return j.lookupLiteral(n, kind, text.Sval, number)
	}
	oid, err := j.lookedUp(c.Arg, kind, l)
	if err != nil {
		return err
	}
	n.Node = j.view.rendered(oid, kind, number).Node
	return nil
}

// lookedUp judges an expression that a reg type is to be made of and gives its
// OID: of a number itself, of a text by the directory.
func (j *judge) lookedUp(arg *pg_query.Node, kind string, l *level) (*pg_query.Node, error) {
	if err := j.singleRow(arg); err != nil {
		return nil, err
	}
	j.asNumber(arg)
	if err := j.walk(arg, l); err != nil {
		return nil, err
	}
	if j.isNumber(arg, l) {
		return arg, nil
	}
	return j.view.byName(arg, kind), j.charge(j.view.names().nameBytes)
}

// byName is the OID that a text names, null for what the view may not know:
//
//	(SELECT CASE WHEN g.a ~ '^[0-9]{1,9}$' THEN g.a::oid ELSE ('{"name": oid …}'::jsonb ->> g.a)::oid END
//	 FROM (SELECT x::text AS a OFFSET 0) AS g)
func (v *View) byName(x *pg_query.Node, kind string) *pg_query.Node {
	value := stmt.Column("g", "a")
	oid := typeNamed("oid")
	names := stmt.Cast(stmt.StringConst(v.dictionary(kind)), typeNamed("jsonb"))
	return once(caseWhen(stmt.Op("~", value, stmt.StringConst("^[0-9]{1,9}$")), stmt.Cast(stmt.Clone(value), oid),
		stmt.Cast(stmt.Op("->>", names, stmt.Clone(value)), typeNamed("oid"))), stmt.Cast(x, typeNamed("text")))
}

// rendered is an object by its OID, as a number or by its name.
func (v *View) rendered(oid *pg_query.Node, kind string, number bool) *pg_query.Node {
	if number {
		return stmt.Cast(oid, typeNamed("oid"))
	}
	return stmt.Cast(stmt.Cast(v.guard(oid, lookups()[kind].set), typeNamed(kind)), typeNamed("text"))
}

// lookupLiteral resolves a literal here, for Postgres would find what the view
// may not know.
func (j *judge) lookupLiteral(n *pg_query.Node, kind, text string, number bool) error {
	v := j.view
	if digits(text) || text == "-" {
		if text == "-" {
			text = "0"
		}
		n.Node = v.rendered(stmt.StringConst(text), kind, number).Node
		return nil
	}
	if element, ok := strings.CutSuffix(strings.TrimSpace(text), "[]"); ok && kind == "regtype" {
		if oid := v.find(kind, element); oid != 0 {
			return j.arrayLiteral(n, oid, number)
		}
	}
	if oid := v.find(kind, text); oid != 0 && !v.builtinFirst(kind, text) {
		if number {
			n.Node = v.rendered(oidConst(oid), kind, true).Node
		} else {
			n.Node = stmt.Cast(stmt.StringConst(v.spelled(kind, oid)), typeNamed("text")).Node
		}
		return nil
	}
	if !v.builtinLiteral(kind, text) {
		return v.noObject(kind, text)
	}
	n.Node = stmt.Cast(stmt.Cast(stmt.StringConst(text), typeNamed(kind)), typeNamed(stands(number))).Node
	return nil
}

// stands is the type of what stands for a value of a reg type.
func stands(number bool) string {
	if number {
		return "oid"
	}
	return "text"
}

// builtinFirst tells whether pg_catalog has the unqualified name, as far as is
// known here; it is searched before everything else.
func (v *View) builtinFirst(kind, text string) bool {
	switch kind {
	case "regclass":
		return v.systemRelation(text) != 0
	case "regtype":
		return baseType(text) != 0
	case "regproc":
		return v.builtins[text] != functionUnknown
	}
	return false
}

// arrayLiteral is the array type of a type that people made.
func (j *judge) arrayLiteral(n *pg_query.Node, element uint32, number bool) error {
	for _, t := range j.view.snapshot.Objects.Types {
		if t.Element == element {
			n.Node = j.view.rendered(oidConst(t.OID), "regtype", number).Node
			return nil
		}
	}
	return j.view.noObject("regtype", "?")
}

func oidConst(oid uint32) *pg_query.Node {
	return stmt.StringConst(oidText(oid))
}

func digits(s string) bool {
	return s != "" && len(s) < 10 && strings.Trim(s, "0123456789") == ""
}

// plainArray tells whether a text is an array literal that needs no quotes.
func plainArray(text string) bool {
	return len(text) > 2 && text[0] == '{' && text[len(text)-1] == '}' && !strings.ContainsAny(text[1:len(text)-1], `{}"\\`)
}

// lookupList resolves the names in an array literal, each as a literal.
func (j *judge) lookupList(n *pg_query.Node, kind, text string, number bool, l *level) error {
	list := &pg_query.A_ArrayExpr{}
	for name := range strings.SplitSeq(text[1:len(text)-1], ",") {
		element := stmt.StringConst(strings.TrimSpace(name))
		if strings.EqualFold(strings.TrimSpace(name), "null") {
			element = stmt.Null()
		}
		list.Elements = append(list.Elements, stmt.Cast(element, typeNamed(kind)))
	}
	array := &pg_query.Node{Node: &pg_query.Node_AArrayExpr{AArrayExpr: list}}
	if number {
		j.asNumber(array)
	}
	n.Node = stmt.Cast(array, typeNamed(stands(number)+"[]")).Node
	return j.walk(array, l)
}

// lookupArray is an array of names: of OIDs where numbers are wanted.
//
//	(SELECT CASE WHEN g.a IS NOT NULL THEN ARRAY(SELECT guard(u.e)::regtype::text FROM unnest(g.a) WITH ORDINALITY AS u(e, n) ORDER BY u.n) END
//	 FROM (SELECT x::oid[] AS a OFFSET 0) AS g)
func (j *judge) lookupArray(n *pg_query.Node, kind string, number bool, l *level) error {
	arg := n.GetTypeCast().Arg
	if err := j.singleRow(arg); err != nil {
		return err
	}
	j.asNumber(arg)
	if err := j.walk(arg, l); err != nil {
		return err
	}
	list := stmt.Cast(arg, typeNamed("oid[]"))
	if number {
		n.Node = list.Node
		return nil
	}
	value := stmt.Column("g", "a")
	elements := stmt.SelectNode(&pg_query.SelectStmt{
		TargetList: []*pg_query.Node{stmt.Target(j.view.rendered(stmt.Column("u", "e"), kind, false), "")},
		FromClause: []*pg_query.Node{{Node: &pg_query.Node_RangeFunction{RangeFunction: &pg_query.RangeFunction{Ordinality: true,
			Functions: []*pg_query.Node{pg_query.MakeListNode([]*pg_query.Node{stmt.Call([]string{"unnest"}, value), {}})},
			Alias:     stmt.AliasOf("u", "e", "n")}}}},
		SortClause: []*pg_query.Node{pg_query.MakeSortByNode(stmt.Column("u", "n"), pg_query.SortByDir_SORTBY_DEFAULT, pg_query.SortByNulls_SORTBY_NULLS_DEFAULT, -1)}})
	array := &pg_query.Node{Node: &pg_query.Node_SubLink{SubLink: &pg_query.SubLink{SubLinkType: pg_query.SubLinkType_ARRAY_SUBLINK, Subselect: elements}}}
	n.Node = once(caseWhen(isNotNull(stmt.Clone(value)), array, nil), list).Node
	return nil
}

// unnests tells whether a node is unnest of one array.
func unnests(n *pg_query.Node) bool {
	f := n.GetFuncCall()
	schema, name := functionParts(f.GetFuncname())
	return name == "unnest" && (schema == "" || schema == builtinSchema) && len(f.Args) == 1 && plainCall(f)
}

// lookupElements moves the cast into the array: what gives a set can't be
// guarded itself.
func (j *judge) lookupElements(n *pg_query.Node, kind string, number bool, l *level) error {
	call := n.GetTypeCast().Arg
	if err := j.functionName(call.GetFuncCall(), l); err != nil {
		return err
	}
	list := stmt.Cast(call.GetFuncCall().Args[0], typeNamed(kind+"[]"))
	if err := j.lookupArray(list, kind, number, l); err != nil {
		return err
	}
	call.GetFuncCall().Args[0] = list
	n.Node = call.Node
	return nil
}

func isNotNull(x *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_NullTest{NullTest: &pg_query.NullTest{Arg: x, Nulltesttype: pg_query.NullTestType_IS_NOT_NULL}}}
}

// roleCast: whoever owns something is shown as the user.
func (j *judge) roleCast(n *pg_query.Node, l *level) error {
	c := n.GetTypeCast()
	arg := c.Arg
	if text := arg.GetAConst().GetSval(); text != nil && !digits(text.Sval) {
		if name, err := configs.ParseIdentifier(text.Sval); err != nil || name != j.view.role.User {
			return j.view.noObject("regrole", text.Sval)
		}
	}
	j.asNumber(arg)
	if err := j.walk(arg, l); err != nil {
		return err
	}
	who := nameConst(j.view.role.User)
	if j.numbers[c] {
		who = stmt.Cast(stmt.IntConst(ownerID), typeNamed("oid"))
	}
	n.Node = caseWhen(isNotNull(arg), who, nil).Node
	return nil
}
