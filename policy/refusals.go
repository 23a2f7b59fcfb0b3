package policy

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// resolve finds the relation that a name in FROM means, as Postgres would with
// the role's search_path.
func (v *View) resolve(r *pg_query.RangeVar) (*grant, *Denied) {
	if r.Catalogname != "" && r.Catalogname != v.snapshot.Database {
		return nil, deny(stateUnsupported, "cross-database references are not implemented: %s.%s.%s", r.Catalogname, r.Schemaname, r.Relname)
	}
	n, exists := v.lookup(r)
	g := v.grants[n]
	if systemSchema(n.Schema) {
		g = v.system(n)
	}
	if !exists || g == nil {
		return nil, v.deniedRelation(r, n, exists)
	}
	if g.broken != nil {
		return nil, g.broken
	}
	return g, nil
}

// lookup resolves a relation's name and tells whether it exists. The system
// catalogs are first on every path: an unqualified pg_… name is theirs,
// whatever else is called so.
func (v *View) lookup(r *pg_query.RangeVar) (catalog.Name, bool) {
	if r.Schemaname != "" {
		n := catalog.Name{Schema: r.Schemaname, Table: r.Relname}
		return n, v.exists(n)
	}
	if strings.HasPrefix(r.Relname, "pg_") {
		n := catalog.Name{Schema: builtinSchema, Table: r.Relname}
		return n, v.exists(n)
	}
	for _, s := range v.role.SearchPath {
		if n := (catalog.Name{Schema: s, Table: r.Relname}); v.exists(n) {
			return n, true
		}
	}
	return catalog.Name{Table: r.Relname}, false
}

func (v *View) exists(n catalog.Name) bool {
	return v.snapshot.Table(n) != nil || v.snapshot.SystemTable(n) != nil
}

// deniedRelation refuses a relation. Unless refusals are explicit, nothing
// tells whether it exists.
func (v *View) deniedRelation(r *pg_query.RangeVar, n catalog.Name, exists bool) *Denied {
	typed := configs.Spell(r.Relname)
	if r.Schemaname != "" {
		typed = configs.Spell(r.Schemaname) + "." + typed
	}
	d := deny(stateDenied, "permission denied for relation %s", typed)
	switch {
	case v.role.Explicit && systemSchema(n.Schema):
		d.withDetail("This part of the system catalogs is not open to governed roles.")
	case v.role.Explicit && !exists:
		d = deny(stateNoTable, "relation %s does not exist", typed)
	case v.role.Explicit:
		d.withDetail("%s", v.ruleFor(n))
	}
	d.absent = true
	if systemSchema(n.Schema) {
		return d.withHint("SHOW pgask.policy")
	}
	return v.nearestRelation(d, r, n)
}

func systemSchema(s string) bool {
	return s == builtinSchema || s == "information_schema" || strings.HasPrefix(s, "pg_toast") || strings.HasPrefix(s, "pg_temp")
}

// ruleFor says which rule keeps the role from an existing relation.
func (v *View) ruleFor(n catalog.Name) string {
	for _, p := range v.role.rules {
		if m := matching(p.config.Tables.Deny, n); m != nil {
			return "Role " + p.config.Name + " denies " + m.String() + "."
		}
	}
	for _, p := range v.role.rules {
		if m := matching(p.config.Tables.Allow, n); m != nil {
			return m.String() + " doesn't reach views, foreign tables, partitions and child tables: they are allowed by their full name only."
		}
	}
	return "No rule of this role allows it."
}

// nearestRelation adds the most similar readable relation, spelled so that it
// can be typed.
func (v *View) nearestRelation(d *Denied, r *pg_query.RangeVar, n catalog.Name) *Denied {
	best, distance := "", 3
	for _, name := range v.sortedNames() {
		if v.grants[name].broken != nil {
			continue
		}
		if k := levenshtein.ComputeDistance(r.Relname, name.Table); k < distance && k*2 <= len(r.Relname) {
			best, distance = v.shortest(name), k
		}
	}
	if best == "" {
		return d
	}
	return d.withHint("Perhaps you meant %s.", best)
}

// shortest spells a relation without its schema where the search_path finds it.
func (v *View) shortest(n catalog.Name) string {
	if found, ok := v.lookup(&pg_query.RangeVar{Relname: n.Table}); ok && found == n {
		return configs.Spell(n.Table)
	}
	return spell(n)
}

// deniedColumn refuses a column that the table has but the role may not see,
// unknownColumn one that it doesn't have: the same, unless refusals are
// explicit.
func (v *View) deniedColumn(qualifier, name string, l *level) *Denied {
	d := v.refusedColumn(qualifier, name, l)
	if v.role.Explicit {
		d.withDetail("%s", whyDenied(name, l))
	}
	return d
}

// whyDenied says what denies a column of one of the relations in sight.
func whyDenied(name string, l *level) string {
	for at := l; at != nil; at = at.parent {
		for _, it := range at.items {
			if it.grant != nil && it.grant.code[name] {
				return "Its type calls a function that no rule of this role allows."
			}
		}
	}
	return "A columns rule of the policy denies it."
}

// deniedNatural refuses a NATURAL JOIN that would merge a column the role may
// not see. Nobody typed its name, so only explicit refusals tell it.
func (v *View) deniedNatural(name string, l *level) *Denied {
	if v.role.Explicit {
		return v.deniedColumn("", name, l)
	}
	return deny(stateDenied, "permission denied for a column of this NATURAL JOIN").withHint("Use JOIN … ON.")
}

func (v *View) unknownColumn(qualifier, name string, l *level) *Denied {
	d := v.refusedColumn(qualifier, name, l)
	if v.role.Explicit {
		d.state, d.message = stateNoColumn, strings.Replace(d.message, "permission denied for column ", "column ", 1)+" does not exist"
	}
	return d
}

func (v *View) refusedColumn(qualifier, name string, l *level) *Denied {
	typed := configs.Spell(name)
	if qualifier != "" {
		typed = configs.Spell(qualifier) + "." + typed
	}
	d := deny(stateDenied, "permission denied for column %s", typed)
	d.absent = true
	best, distance := "", 3
	for at := l; at != nil; at = at.parent {
		for _, it := range at.items {
			if qualifier != "" && it.name != qualifier {
				continue
			}
			for _, c := range it.columns {
				if k := levenshtein.ComputeDistance(name, c.name); k > 0 && k < distance && k*2 <= len(name) {
					best, distance = c.name, k
				}
			}
		}
	}
	if best == "" {
		return d
	}
	return d.withHint("Perhaps you meant %s.", configs.Spell(best))
}

// unknownQualifier refuses x.y where nothing in sight is called x.
func (v *View) unknownQualifier(name string, l *level) *Denied {
	d := deny(stateDenied, "permission denied for relation %s", configs.Spell(name))
	if v.role.Explicit {
		d = deny(stateNoTable, "missing FROM-clause entry for table %s", configs.Spell(name))
	}
	d.absent = true
	var names []string
	for at := l; at != nil; at = at.parent {
		for _, it := range at.items {
			if it.byName && levenshtein.ComputeDistance(it.name, name)*2 < len(name)+1 {
				names = append(names, it.name)
			}
		}
	}
	if len(names) == 0 {
		return d
	}
	return d.withHint("Perhaps you meant %s.", configs.Spell(names[0]))
}

// deniedFunction refuses a function. Which others exist isn't known here, so
// it is the same for explicit refusals but for the reason.
func (v *View) deniedFunction(name string) *Denied {
	d := deny(stateDenied, "permission denied for function %s", configs.Spell(name))
	if v.role.Explicit {
		d.withDetail("It is not one of the safe built-in functions, and no rule of this role allows it.")
	}
	best, distance := "", 3
	names := make([]string, 0, len(v.builtins))
	for n := range v.builtins {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		if k := levenshtein.ComputeDistance(name, n); k > 0 && k < distance && k*3 <= len(name) && !anyFunction(v.functions.deny, builtinSchema, n) {
			best, distance = n, k
		}
	}
	if best == "" {
		return d
	}
	return d.withHint("Perhaps you meant %s.", best)
}

// deniedType refuses a type.
func (v *View) deniedType(name string) *Denied {
	d := deny(stateDenied, "permission denied for type %s", name)
	if v.role.Explicit {
		d.withDetail("Only the built-in base types and enums of readable columns can be named.")
	}
	return d
}
