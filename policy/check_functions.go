package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// typeCode warns of columns that are denied for their type, and of casts
// between built-in types, which no rule keeps statements from.
func (c *checker) typeCode() {
	admitted := c.rules.functions.admitted(&c.snapshot.Objects)
	for _, t := range c.snapshot.Tables {
		if !c.rules.allows(t.Name) {
			continue
		}
		for _, column := range t.Columns {
			rule := c.rules.columns[t.Name]
			if f := c.code.of(column.Type.OID); f != nil && (rule == nil || !rule.deny[column.Name]) {
				c.add(c.rules.config.Pos, ".functions.allow", true, "%s.%s can't be read: %s calls %s, which isn't allowed",
					spell(t.Name), configs.Spell(column.Name), f.What, spell(catalog.Name{Schema: f.Schema, Table: f.Name}))
			}
		}
	}
	for i := range c.snapshot.Objects.Code {
		f := &c.snapshot.Objects.Code[i]
		user := func(oid uint32) bool { return c.snapshot.Objects.TypeObject(oid) != nil }
		if name := (catalog.Name{Schema: f.Schema, Table: f.Name}); !slices.ContainsFunc(f.Types, user) && !admitted[f.Function] {
			c.add(c.rules.config.Pos, ".functions.allow", true, "%s calls %s in any statement: drop that cast", f.What, spell(name))
		}
	}
}

// unclearCall names the first function of a rule that isn't there, or that may
// turn out to be one that isn't allowed.
func (c *checker) unclearCall(t *template) error {
	return walk(t.node, func(m any) error {
		if f, ok := m.(*pg_query.FuncCall); ok && !admits(c.routines, f) {
			schema, name := functionParts(f.Funcname)
			return fmt.Errorf("calls %s, which doesn't exist or isn't the only one: functions.allow has to say which, as schema.name(type, …)",
				spell(catalog.Name{Schema: schema, Table: name}))
		}
		return nil
	})
}

// functions warns of rules that name no function, or one of several, and of
// functions that can't be called for their types.
func (c *checker) functions() {
	of := map[catalog.Name][]*catalog.Function{}
	for i := range c.snapshot.Objects.Functions {
		f := &c.snapshot.Objects.Functions[i]
		of[routineName(f)] = append(of[routineName(f)], f)
	}
	add := func(sub, format string, args ...any) {
		c.add(c.rules.config.Pos, ".functions."+sub, true, format, args...)
	}
	look := func(sub string, list []functionRule) {
		for _, r := range list {
			found := of[catalog.Name{Schema: r.Schema, Table: r.Table}]
			switch {
			case r.Schema == builtinSchema || r.SchemaWild || r.TableWild:
			case len(found) == 0:
				add(sub, "%s matches no function", r)
			case r.signed && !slices.ContainsFunc(found, func(f *catalog.Function) bool { return r.names(f, false) }):
				add(sub, "%s matches none of %s", r, signatures(found))
			case sub == "allow" && !r.signed && len(found) > 1:
				add(sub, "%s is the name of several functions, so none of them can be called: allow %s", r, signatures(found))
			}
		}
	}
	look("allow", c.rules.functions.allow)
	look("deny", c.rules.functions.deny)
	for _, name := range slices.SortedFunc(maps.Keys(c.routines), compareNames) {
		for _, f := range c.routines[name] {
			if code := c.code.ofFunction(f.Function); f.admitted && code != nil {
				add("allow", "%s can't be called: %s calls %s, which isn't allowed", signature(f.Function), code.What, spell(catalog.Name{Schema: code.Schema, Table: code.Name}))
			}
		}
	}
}

func signatures(list []*catalog.Function) string {
	texts := make([]string, len(list))
	for i, f := range list {
		texts[i] = signature(f)
	}
	return strings.Join(texts, ", ")
}
