package planner

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// maxInferable bounds the relationships that names suggest: each is checked on the data.
const maxInferable = 200

// inferredConfidence is what an answer's confidence is multiplied by for each inferred
// relationship in it.
const inferredConfidence = 0.95

// generic are the words of keys that say nothing of what they identify: columns that
// share such a name are no more related than others.
var generic = map[string]bool{
	"id": true, "uuid": true, "guid": true, "key": true, "code": true, "number": true, "no": true, "nr": true, "name": true, "title": true, "label": true,
	"description": true, "date": true, "time": true, "year": true, "month": true, "day": true, "type": true, "kind": true, "status": true, "value": true,
	"rank": true, "position": true, "order": true, "sequence": true, "version": true, "level": true, "index": true, "line": true, "row": true,
	"email": true, "phone": true, "telephone": true, "address": true, "url": true, "created": true, "updated": true, "at": true, "on": true,
}

// keyTarget is a column that is unique by itself, and so what others may point to.
type keyTarget struct {
	table  *catalog.Table
	column *catalog.Column
	own    bool // is named for its table: the customer_id of customers
}

// Inferable are the relationships that names and types suggest and nothing declares: a
// column that is called as another table's key is (customer_id), or as that table and its key
// (customer_id for the id of customers). Whether the values agree is for the caller to see.
// Those that go both ways, between two keys, are there twice.
func Inferable(c *catalog.Snapshot, m *semantic.Model) []*semantic.Relationship {
	targets := map[string][]keyTarget{}
	for _, t := range c.Tables {
		if t.Partition {
			continue
		}
		for _, col := range t.Columns {
			if singleKey(t, col) && identifies(col) {
				addTarget(targets, t, col)
			}
		}
	}
	var out []*semantic.Relationship
	for _, t := range c.Tables {
		if t.Partition {
			continue
		}
		for _, col := range t.Columns {
			if declares(t, col, m) {
				continue
			}
			for _, to := range pointed(t, col, targets[strings.Join(splitIdentifier(col.Name), "")]) {
				out = append(out, &semantic.Relationship{Name: t.Name.Table + "." + col.Name, From: t.Name, FromColumns: []string{col.Name},
					To: to.table.Name, ToColumns: []string{to.column.Name}, OneToOne: singleKey(t, col), Inferred: true, Confidence: inferredConfidence})
			}
		}
	}
	return out[:min(len(out), maxInferable)]
}

// addTarget notes a key under the names that a column would have that points to it.
func addTarget(targets map[string][]keyTarget, t *catalog.Table, key *catalog.Column) {
	words, table := splitIdentifier(key.Name), splitIdentifier(t.Name.Table)
	name := strings.Join(words, "")
	last := len(table) - 1
	if last < 0 {
		return
	}
	head := strings.Join(table[:last], "")
	vague := !slices.ContainsFunc(words, func(w string) bool { return !generic[w] })
	own := false
	for _, w := range uniq(bases(table[last])) {
		own = own || strings.HasPrefix(name, head+w)
		if vague {
			targets[head+w+name] = append(targets[head+w+name], keyTarget{t, key, true})
		}
	}
	if !vague {
		targets[name] = append(targets[name], keyTarget{t, key, own})
	}
}

// uniq are the words without those that were there before.
func uniq(words []string) []string {
	words = slices.Clone(words)
	slices.Sort(words)
	return slices.Compact(words)
}

// pointed are the keys that a column may point to, of those that its name would fit: those
// that are named for their table, where there are such. Nothing is pointed to by the one that
// is, itself.
func pointed(t *catalog.Table, col *catalog.Column, fit []keyTarget) []keyTarget {
	fit = slices.DeleteFunc(slices.Clone(fit), func(x keyTarget) bool {
		return x.column.Type.OID != col.Type.OID || x.table.Name.Schema != t.Name.Schema
	})
	if slices.ContainsFunc(fit, func(x keyTarget) bool { return x.own }) {
		fit = slices.DeleteFunc(fit, func(x keyTarget) bool { return !x.own })
		if slices.ContainsFunc(fit, func(x keyTarget) bool { return x.column == col }) {
			return nil
		}
	}
	return slices.DeleteFunc(fit, func(x keyTarget) bool { return x.table == t })
}

// singleKey tells whether a column is unique by itself.
func singleKey(t *catalog.Table, col *catalog.Column) bool {
	one := func(key []string) bool { return len(key) == 1 && key[0] == col.Name }
	return one(t.PrimaryKey) || slices.ContainsFunc(t.Unique, one)
}

// identifies tells whether values of a column's type can stand for rows: whole numbers, texts
// and UUIDs.
func identifies(col *catalog.Column) bool {
	switch col.Type.Name {
	case "int2", "int4", "int8", "numeric", "text", "varchar", "bpchar", "uuid":
		return true
	}
	return false
}

// declares tells whether a foreign key or semantic.yaml says what the column points to.
func declares(t *catalog.Table, col *catalog.Column, m *semantic.Model) bool {
	return slices.ContainsFunc(t.ForeignKeys, func(k *catalog.ForeignKey) bool { return slices.Contains(k.Columns, col.Name) }) ||
		slices.ContainsFunc(m.Relationships, func(r *semantic.Relationship) bool {
			return r.From == t.Name && slices.Contains(r.FromColumns, col.Name)
		})
}
