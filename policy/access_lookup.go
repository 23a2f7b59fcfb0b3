package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// The reg types look names up: 'x'::regclass tells whether x exists, and
// 16400::regclass what it is called. So no value of such a type ever exists in
// a governed statement, since any literal that meets one would be looked up by
// Postgres. A cast to one becomes an OID where a number is wanted (compared,
// passed to a catalog function, cast to oid), and a text everywhere else.

// lookupType tells whether a type is one of these, or an array of one.
func lookupType(t *pg_query.TypeName) (kind string, array bool) {
	schema, name, ok := nameParts(t.GetNames())
	if !ok || schema != "" && schema != builtinSchema || t.Setof || t.PctType || len(t.Typmods) > 0 {
		return "", false
	}
	kind, array = cutPrefix(name, "_")
	if _, ok := lookups()[kind]; !ok {
		return "", false
	}
	return kind, array || len(t.ArrayBounds) > 0
}

// LooksUp tells whether a type is a reg type or an array of one: a column of such
// a type can't be given, since a cast to it becomes something else.
func LooksUp(t *pg_query.TypeName) bool {
	kind, _ := lookupType(t)
	return kind != ""
}

// regType says which objects a reg type names, and which literals can only mean
// a built-in one: the backend's search_path holds only pg_catalog, so a name
// without a schema finds nothing else.
type regType struct {
	set     objectSet
	builtin *regexp.Regexp // nil where none can
}

// lookups are the reg types by name, made once: every type name that is judged
// is looked for among them.
var lookups = sync.OnceValue(func() map[string]regType {
	const name, list = `[a-z_][a-z0-9_]*`, `\([a-z0-9_ ,\[\]]*\)`
	const operator = `[-+*/<>=~!@#%^&|?` + "`" + `]+`
	literal := func(p string) *regexp.Regexp { return regexp.MustCompile(`^(?i:` + p + `)$`) }
	return map[string]regType{
		"regclass":      {setRelations, nil},
		"regtype":       {setTypes, literal(`(pg_catalog\.)?("char"|` + name + `( [a-z]+)*)( ?\([0-9, ]+\))?( [a-z ]+)?(\[\])*`)},
		"regproc":       {setFunctions, literal(`((pg_catalog|information_schema)\.)?` + name)},
		"regprocedure":  {setSignatures, literal(`(pg_catalog\.)?` + name + list)},
		"regoper":       {setSystem, literal(`(pg_catalog\.)?` + operator)},
		"regoperator":   {setSystem, literal(`(pg_catalog\.)?` + operator + list)},
		"regnamespace":  {setSchemas, literal(`pg_catalog|information_schema|pg_toast`)},
		"regcollation":  {setSystem, literal(`(pg_catalog\.)?(` + name + `|"[A-Za-z_-]+")`)},
		"regconfig":     {setSystem, literal(`(pg_catalog\.)?` + name)},
		"regdictionary": {setSystem, literal(`(pg_catalog\.)?` + name)},
		"regrole":       {setNone, nil},
	}
})

// builtinLiteral tells whether a literal of a reg type can only mean one of
// Postgres's own objects.
func (v *View) builtinLiteral(kind, text string) bool {
	if kind != "regclass" {
		p := lookups()[kind].builtin
		return p != nil && p.MatchString(text)
	}
	return v.systemRelation(text) != 0
}

// systemRelation is the OID of a relation of the system schemas.
func (v *View) systemRelation(text string) uint32 {
	schema, name := builtinSchema, strings.TrimSpace(text)
	if n, err := configs.ParseName(name); err == nil {
		schema, name = n.Schema, n.Table
	} else if name, err = configs.ParseIdentifier(name); err != nil {
		return 0
	}
	if t := v.snapshot.SystemTable(catalog.Name{Schema: schema, Table: name}); t != nil {
		return t.OID
	}
	return 0
}

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

// noObject refuses a name in a literal, hidden or missing alike.
func (v *View) noObject(kind, text string) *Denied {
	switch kind {
	case "regclass":
		return deny(stateNoTable, "relation %q does not exist", text)
	case "regtype":
		return deny(stateNoType, "type %q does not exist", text)
	case "regnamespace":
		return deny("3F000", "schema %q does not exist", text)
	case "regproc", "regprocedure":
		return deny(stateNoFunction, "function %q does not exist", text)
	}
	what := strings.TrimPrefix(kind, "reg")
	return deny(stateNoType, "%s %q does not exist", what, text)
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
	if err := j.functionName(call.GetFuncCall()); err != nil {
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

// proveLookup is the second judge's look at a cast: a reg type may only be cast
// to, around a guard or a literal that means a built-in object, and only on the
// way to text or oid.
func (j *judge) proveLookup(c *pg_query.TypeCast) {
	number, text := isPlainType(c.TypeName, "oid"), isPlainType(c.TypeName, "text")
	if f := c.Arg.GetFuncCall(); f != nil && (number || text) && plainCall(f) && len(f.Args) == 1 {
		name, _, ok := j.accessFunction(f)
		kind, to := cutPrefix(name, "to_")
		literal := f.Args[0].GetAConst().GetSval()
		if !ok {
			return
		}
		if text && name == "pg_typeof" || to && literal != nil && kind != "regclass" && j.view.builtinLiteral(kind, literal.Sval) {
			j.cleared[f] = true
		}
	}
	inner := c.Arg.GetTypeCast()
	if inner == nil {
		return
	}
	kind, array := lookupType(inner.TypeName)
	if kind == "" || array || !isPlainType(inner.TypeName, kind) || !text && !number {
		return // typeName refuses it
	}
	literal := inner.Arg.GetAConst().GetSval()
	set := lookups()[kind].set
	if literal != nil && j.view.builtinLiteral(kind, literal.Sval) || set != setNone && j.view.isGuard(inner.Arg, set) {
		j.cleared[inner.TypeName] = true
	}
}

// isPlainType tells whether a type is that of pg_catalog, without a length.
func isPlainType(t *pg_query.TypeName, name string) bool {
	return len(t.Names) == 2 && t.Names[0].GetString_().GetSval() == builtinSchema && t.Names[1].GetString_().GetSval() == name && len(t.Typmods) == 0 && len(t.ArrayBounds) == 0 && !t.Setof && !t.PctType
}

// isNumber tells whether an expression, judged already, surely is a number or
// an OID.
func (j *judge) isNumber(n *pg_query.Node, l *level) bool {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_AConst:
		return x.AConst.GetIval() != nil || x.AConst.GetFval() != nil
	case *pg_query.Node_TypeCast:
		_, name, _ := nameParts(x.TypeCast.TypeName.Names)
		return len(x.TypeCast.TypeName.ArrayBounds) == 0 && slices.Contains([]string{"oid", "int2", "int4", "int8"}, name)
	case *pg_query.Node_ColumnRef:
		return slices.Contains([]string{"oid", "int2", "int4", "int8"}, j.typeOf(n, l)) || lookedUpName(j.typeOf(n, l))
	case *pg_query.Node_AIndirection:
		i := x.AIndirection.Indirection
		return len(i) == 1 && i[0].GetAIndices() != nil && !i[0].GetAIndices().IsSlice &&
			slices.Contains([]string{"oidvector", "int2vector", "_oid", "_int2", "_int4", "_int8"}, j.typeOf(x.AIndirection.Arg, l))
	}
	return false
}

func lookedUpName(name string) bool { _, ok := lookups()[name]; return ok }

// typeOf is the type of a column of a real relation, empty where it isn't known.
func (j *judge) typeOf(n *pg_query.Node, l *level) string {
	c := j.columnAt(n, l)
	if c == nil || c.src == nil || c.src.grant == nil {
		return ""
	}
	if g := c.src.grant.column(c.base); g != nil {
		return g.column.Type.Name
	}
	return ""
}

// columnAt is columnOf at whatever level the name is found.
func (j *judge) columnAt(n *pg_query.Node, l *level) *column {
	for at := l; at != nil; at = at.parent {
		if c := j.columnOf(n, at); c != nil {
			return c
		}
	}
	return nil
}
