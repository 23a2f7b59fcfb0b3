package policy

import (
	"regexp"
	"strings"
	"sync"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
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
