package powers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/pipeline/catalog"
)

// shown is how many names a power lists before it counts the rest, and beyond
// how many relations of a schema one REVOKE is about all of them.
const shown = 8

// report makes powers of what was read. What takes away more than a power, and
// with it what the roles need, comes with the grants that give that back.
func (r *reader) report() []Power {
	out := r.me.powers(r.me.rowSecurity)
	if r.objects > 0 {
		out = append(out, Power{What: "owns " + count(r.objects, "object") + ", which lets it change them and grant rights on them",
			SQL: []string{fmt.Sprintf("REASSIGN OWNED BY %s TO %s", ident(r.me.name), ident(r.heir))}})
	}
	own := r.blame()
	for _, g := range r.groups {
		if len(g.reasons) > 0 {
			out = append(out, Power{What: "is a member of " + ident(g.name) + ", which " + some(g.reasons, "; "), SQL: g.revoke(r.me.name)})
		}
	}
	if r.loses() {
		last := &out[len(out)-1]
		last.SQL = append(last.SQL, r.keep()...)
	}
	out = append(out, r.excess(own)...)
	for _, c := range r.coming {
		if c.holder != "group" {
			out = append(out, Power{What: c.what(), SQL: []string{c.revoke(r.me.name)}})
		}
	}
	if !r.me.readOnly {
		out = append(out, Power{What: "starts transactions that may write (default_transaction_read_only is off)",
			SQL: []string{"ALTER ROLE " + ident(r.me.name) + " SET default_transaction_read_only = on"}})
	}
	return out
}

// blame tells groups of the grants that reach the login through them, and
// returns the login's own and everybody's, without what is needed.
func (r *reader) blame() []grant {
	var own []grant
	through := map[*group][]grant{}
	for _, g := range r.grants {
		g.rights = r.unneeded(g)
		switch {
		case len(g.rights) == 0:
		case g.holder == "group":
			through[r.group(g.group)] = append(through[r.group(g.group)], g)
		default:
			own = append(own, g)
		}
	}
	for _, g := range r.groups {
		for _, b := range batches(through[g]) {
			g.because("%s", b.what())
		}
	}
	for _, c := range r.coming {
		if c.holder == "group" {
			r.group(c.group).because("%s", c.what())
		}
	}
	return own
}

// revoke ends the membership, whoever gave it.
func (g *group) revoke(member string) []string {
	sql := fmt.Sprintf("REVOKE %s FROM %s", ident(g.name), ident(member))
	if len(g.grantors) < 2 {
		return []string{sql}
	}
	out := make([]string, len(g.grantors))
	for i, grantor := range g.grantors { // since version 16 each revokes one's own
		out[i] = sql + " GRANTED BY " + ident(grantor)
	}
	return out
}

// loses tells that what is taken away are rights to read as well.
func (r *reader) loses() bool {
	return r.me.super || r.objects > 0 || slices.ContainsFunc(r.groups, func(g *group) bool { return len(g.reasons) > 0 })
}

// keep grants what the roles read and the login would lose with its groups,
// with what it owns or as no superuser any more.
func (r *reader) keep() []string {
	reads, fields, schemas := map[catalog.Name]bool{}, map[catalog.Name][]string{}, map[string]bool{}
	for _, g := range r.grants {
		switch kept := g.holder != "group" || len(r.group(g.group).reasons) == 0; {
		case !kept:
		case g.kind == "relation":
			reads[g.name] = reads[g.name] || g.whole
			fields[g.name] = append(fields[g.name], g.columns...)
		case g.kind == "schema" && slices.Contains(g.rights, "USAGE"):
			schemas[g.name.Schema] = true
		}
	}
	var tables, parts, closed []string
	for _, n := range slices.SortedFunc(maps.Keys(r.uses.Tables), catalog.Name.Compare) {
		needed := r.uses.Columns[n]
		lost := slices.DeleteFunc(slices.Clone(needed), func(c string) bool { return slices.Contains(fields[n], c) })
		switch {
		case reads[n] || len(needed) > 0 && len(lost) == 0:
		case len(lost) == len(needed) && (len(needed) == 0 || len(needed) == r.widths[n]):
			tables = append(tables, spell(n))
		default:
			parts = append(parts, grantColumns(n, lost, r.me.name))
		}
		if !schemas[n.Schema] {
			closed = append(closed, ident(n.Schema))
		}
	}
	var out []string
	if closed != nil {
		out = append(out, "GRANT USAGE ON SCHEMA "+strings.Join(slices.Compact(closed), ", ")+" TO "+ident(r.me.name))
	}
	if tables != nil {
		out = append(out, "GRANT SELECT ON "+strings.Join(tables, ", ")+" TO "+ident(r.me.name))
	}
	return append(out, parts...)
}

// relations counts the columns of what the roles read.
func (r *reader) relations() error {
	rows, err := r.conn.Query(r.ctx, `
		SELECT n.nspname, c.relname, c.relnatts - count(a.attnum)
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
			LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attisdropped
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
		GROUP BY n.nspname, c.oid, c.relname, c.relnatts`)
	if err != nil {
		return err
	}
	r.widths = map[catalog.Name]int{}
	var n catalog.Name
	var width int
	_, err = pgx.ForEachRow(rows, []any{&n.Schema, &n.Table, &width}, func() error {
		if r.uses.Tables[n] {
			r.widths[n] = width
		}
		return nil
	})
	return err
}

// excess are the grants that the login, or everybody, has directly.
func (r *reader) excess(own []grant) []Power {
	var out []Power
	for _, b := range batches(own) {
		out = append(out, Power{What: b.what(), SQL: r.revoke(b)})
	}
	return out
}

// revoke takes a batch away. What another than the owner granted only the
// grantor can take back.
func (r *reader) revoke(b *batch) []string {
	from := ident(r.me.name)
	if b.holder == "public" {
		from = "PUBLIC"
	}
	sql := []string{fmt.Sprintf("REVOKE %s ON %s FROM %s", strings.Join(b.rights, ", "), b.target(r.uses.Tables), from)}
	if b.grantor != b.owner {
		return []string{"SET ROLE " + ident(b.grantor), sql[0], "RESET ROLE"}
	}
	return sql
}

// some lists the first few of many.
func some(words []string, separator string) string {
	if len(words) <= shown {
		return strings.Join(words, separator)
	}
	return strings.Join(words[:shown], separator) + fmt.Sprintf("%sand %d more", separator, len(words)-shown)
}
