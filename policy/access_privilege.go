package policy

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// The has_*_privilege family answers from the policy: what is permitted may be
// selected from, used and executed, nothing else may be done, and what is
// hidden is like what doesn't exist, of which nothing may be done.

// privilege says what a role has on objects of one kind.
type privilege struct {
	set objectSet
	// kind is the reg type that reads the object's name; empty where all or
	// none of the objects are permitted.
	kind string
	// granted is the one privilege that is held.
	granted string
}

func privileges() map[string]privilege {
	return map[string]privilege{
		"has_table_privilege": {setRelations, "regclass", "select"}, "has_any_column_privilege": {setRelations, "regclass", "select"},
		"has_schema_privilege": {setSchemas, "regnamespace", "usage"}, "has_type_privilege": {setTypes, "regtype", "usage"},
		"has_function_privilege": {setFunctions, "regprocedure", "execute"}, "has_database_privilege": {setNone, "", "connect"},
		"has_language_privilege": {setNone, "", "usage"}, "has_sequence_privilege": {}, "has_tablespace_privilege": {},
		"has_server_privilege": {}, "has_foreign_data_wrapper_privilege": {}, "has_parameter_privilege": {}, "has_largeobject_privilege": {},
	}
}

func privilegeFunctions() map[string]accessRule {
	out := map[string]accessRule{
		"has_column_privilege": {3, 4, setNone, (*judge).columnPrivilege},
		"pg_has_role":          {2, 3, setNone, (*judge).hasRole},
	}
	for name, p := range privileges() {
		out[name] = accessRule{2, 3, setNone, func(j *judge, c *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
			return j.hasPrivilege(p, c, l)
		}}
	}
	return out
}

// hasPrivilege answers (object, privilege) and (user, object, privilege).
func (j *judge) hasPrivilege(p privilege, call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	args, held, err := j.privilegeArguments(call, p.granted, 2)
	if err != nil {
		return nil, err
	}
	if name := constantText(args[0]); p.granted == "connect" && name != "" {
		held = held && name == j.view.snapshot.Database
	}
	if !held || p.kind == "" {
		return j.judged(stmt.BoolConst(held), call, l)
	}
	object, err := j.objectArgument(args[0], p.kind, l)
	if err != nil {
		return nil, err
	}
	return j.judged(isNotNull(j.view.guard(object, p.set)), &pg_query.FuncCall{Args: call.Args[:len(call.Args)-2]}, l)
}

// privilegeArguments splits off the user and the privilege. held tells whether
// the user is this one, and one of the privileges the granted one.
func (j *judge) privilegeArguments(call *pg_query.FuncCall, granted string, least int) (args []*pg_query.Node, held bool, err error) {
	args = call.Args
	held = true
	if len(args) > least {
		if name := constantText(args[0]); name != "" && name != j.view.role.User && name != "public" {
			return nil, false, j.view.noObject("regrole", name)
		}
		args = args[1:]
	}
	asked := constantText(args[len(args)-1])
	if asked == "" {
		return nil, false, unsupported("a privilege that isn't a literal", "Write it as a literal, such as 'SELECT'.")
	}
	some := false
	for _, one := range strings.Split(strings.ToLower(asked), ",") {
		some = some || granted != "" && strings.TrimSpace(one) == granted
	}
	return args[:len(args)-1], held && some, nil
}

// constantText is the value of a text literal, cast or not.
func constantText(n *pg_query.Node) string {
	if c := n.GetTypeCast(); c != nil && textual(n) {
		n = c.Arg
	}
	return n.GetAConst().GetSval().GetSval()
}

// objectArgument is an object by name or OID, as an expression that gives its
// OID; a literal name that the view may not know is refused like a missing one.
func (j *judge) objectArgument(n *pg_query.Node, kind string, l *level) (*pg_query.Node, error) {
	if name := constantText(n); name != "" {
		oid := j.view.find(kind, name)
		if kind == "regprocedure" {
			oid = j.view.find("regproc", strings.TrimSpace(strings.SplitN(name, "(", 2)[0]))
		}
		if oid == 0 {
			oid = j.view.builtinNamed(kind, name)
		}
		if oid == 0 {
			return nil, j.view.noObject(kind, name)
		}
		return oidConst(oid), nil
	}
	return j.lookedUp(n, kind, l)
}

// builtinNamed is an OID for a name of one of Postgres's own objects; which one
// it is doesn't matter where all are permitted.
func (v *View) builtinNamed(kind, name string) uint32 {
	switch kind {
	case "regclass":
		return v.systemRelation(name)
	case "regnamespace":
		if systemSchema(name) {
			return 11
		}
	case "regtype":
		if s, _ := cutPrefix(name, builtinSchema+"."); baseType(s) != 0 {
			return baseType(s)
		}
	case "regprocedure":
		f, _ := cutPrefix(strings.SplitN(name, "(", 2)[0], builtinSchema+".")
		if v.builtins[f] != functionUnknown {
			return 1
		}
	}
	return 0
}

// hasRole: the user is a member of itself alone.
func (j *judge) hasRole(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	for _, a := range call.Args[:len(call.Args)-1] {
		if name := constantText(a); name != "" && name != j.view.role.User {
			return nil, j.view.noObject("regrole", name)
		}
	}
	return j.judged(stmt.BoolConst(true), call, l)
}

// columnPrivilege answers (table, column, privilege) with or without a user.
func (j *judge) columnPrivilege(call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	args, held, err := j.privilegeArguments(call, "select", 3)
	if err != nil {
		return nil, err
	}
	if !held {
		return j.judged(stmt.BoolConst(false), call, l)
	}
	table, err := j.objectArgument(args[0], "regclass", l)
	if err != nil {
		return nil, err
	}
	if err := j.walk(args[1], l); err != nil {
		return nil, err
	}
	if err := j.charge(j.view.names().nameBytes); err != nil {
		return nil, err
	}
	if j.isNumber(args[1], l) {
		return anyOf(attributeKey(stmt.Cast(table, typeNamed("oid")), stmt.Cast(args[1], typeNamed("int2"))), j.view.columnNumbers()), nil
	}
	key := stmt.Op("||", stmt.Op("||", stmt.Cast(stmt.Cast(table, typeNamed("oid")), typeNamed("text")), stmt.StringConst(".")), stmt.Cast(args[1], typeNamed("text")))
	return stmt.Op("?", j.view.columnNames(), key), nil
}

// columnNames is a jsonb array of every permitted column, as OID.name; of
// Postgres's own relations too.
func (v *View) columnNames() *pg_query.Node {
	var list []string
	add := func(oid uint32, columns []string) {
		for _, c := range columns {
			list = append(list, oidText(oid)+"."+c)
		}
	}
	for _, g := range v.grants {
		if g.broken == nil {
			add(g.table.OID, g.names())
		}
	}
	for _, t := range v.snapshot.Objects.System {
		add(t.OID, columnsOf(t))
	}
	slices.Sort(list)
	return stmt.Cast(stmt.StringConst(jsonText(list)), typeNamed("jsonb"))
}

// columnNumbers are the same columns by their numbers.
func (v *View) columnNumbers() *pg_query.Node {
	var list []attribute
	for _, g := range v.grants {
		for _, c := range g.columns {
			if g.broken == nil {
				list = append(list, attribute{g.table.OID, c.column.Attnum})
			}
		}
	}
	for _, t := range v.snapshot.Objects.System {
		for _, c := range t.Columns {
			list = append(list, attribute{t.OID, c.Attnum})
		}
	}
	slices.SortFunc(list, compareAttributes)
	return attributesConst(list)
}

func columnsOf(t *catalog.Table) []string {
	var out []string
	for _, c := range t.Columns {
		out = append(out, c.Name)
	}
	return out
}
