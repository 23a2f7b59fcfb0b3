package powers

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
)

// batch is grants that differ in the object only, so that one REVOKE is for all
// of them.
type batch struct {
	grant
	names []catalog.Name
	texts []string
}

// batches puts grants together, in the order of the first of each.
func batches(grants []grant) []*batch {
	var out []*batch
	for _, g := range grants {
		i := slices.IndexFunc(out, func(b *batch) bool { return b.takes(g) })
		if i < 0 {
			out = append(out, &batch{grant: g})
			i = len(out) - 1
		}
		out[i].names, out[i].texts = append(out[i].names, g.name), append(out[i].texts, g.sql)
	}
	return out
}

func (b *batch) takes(g grant) bool {
	schema := g.name.Schema == b.name.Schema || g.kind != "relation" && g.kind != "sequence"
	owner := g.grantor == b.grantor && (g.grantor == g.owner) == (b.grantor == b.owner)
	if g.grantor == g.owner && b.grantor == b.owner {
		owner = true // a superuser revokes for each owner
	}
	return schema && owner && g.kind == b.kind && g.holder == b.holder && g.reason == b.reason && slices.Equal(g.rights, b.rights)
}

// what completes "login x …" or "group x, which …".
func (b *batch) what() string {
	who := ""
	if b.holder == "public" {
		who = ", as everybody may"
	}
	names := some(b.texts, ", ")
	switch b.kind {
	case "relation":
		if slices.Equal(b.rights, []string{"SELECT"}) {
			return "reads what its roles don't: " + names + who
		}
		return "may " + strings.Join(b.rights, ", ") + " on " + names + who
	case "function":
		if b.reason == "builtin" {
			return "may call " + names + ", which Postgres gives to nobody" + who
		}
		return "may call what " + b.reason + ": " + names + who
	}
	return "has " + strings.Join(b.rights, ", ") + " on " + b.noun() + " " + names + who
}

// noun is the kind of object as people say it; GRANT's words are the same in
// capitals.
func (b *batch) noun() string {
	switch b.kind {
	case "server":
		return "foreign server"
	case "wrapper":
		return "foreign data wrapper"
	case "largeobject":
		return "large object"
	}
	return b.kind
}

// target is the objects as REVOKE spells them. All tables of a schema stand for
// many of them, unless that would take away what the roles read.
func (b *batch) target(used map[catalog.Name]bool) string {
	list := strings.Join(b.texts, ", ")
	switch b.kind {
	case "relation", "sequence":
		if len(b.texts) > shown && b.grantor == b.owner && !b.needed(used) {
			return "ALL " + strings.ToUpper(map[string]string{"relation": "table", "sequence": "sequence"}[b.kind]) + "S IN SCHEMA " + ident(b.name.Schema)
		}
		if b.kind == "relation" {
			return list
		}
	case "function":
		return "ROUTINE " + list
	}
	return strings.ToUpper(b.noun()) + " " + list
}

// needed tells that all tables of the schema are more than may be taken.
func (b *batch) needed(used map[catalog.Name]bool) bool {
	if !slices.Contains(b.rights, "SELECT") {
		return false
	}
	for n := range used {
		if n.Schema == b.name.Schema {
			return true
		}
	}
	return false
}
