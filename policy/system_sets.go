package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// ownerID is the owner of everything that a view shows: the role that initdb
// makes, which can't be dropped. pg_roles shows it under the user's name.
const ownerID = 10

// systemSet is a constant that rules of system relations name.
func (v *View) systemSet(name string) (*pg_query.Node, error) {
	s := v.visible()
	switch name {
	case "builtin":
		return stmt.IntConst(int64(s.builtin)), nil
	case "ownerid":
		return stmt.IntConst(ownerID), nil
	case "user":
		return nameConst(v.role.User), nil
	case "database":
		return nameConst(v.snapshot.Database), nil
	case "path":
		return stmt.Cast(stmt.StringConst(v.pathText()), typeNamed("text")), nil
	case "settings":
		return textsConst(append(shownSettings(), showable()...)), nil
	case "schemas":
		return oidsConst(s.schemas), nil
	case "relations":
		return oidsConst(s.relations), nil
	case "classes":
		return oidsConst(append(slices.Clone(s.relations), s.indexes...)), nil
	case "indexes":
		return oidsConst(s.indexes), nil
	case "constraints":
		return oidsConst(s.constraints), nil
	case "types":
		return oidsConst(s.types), nil
	case "functions":
		return oidsConst(s.functions), nil
	case "objects":
		return oidsConst(slices.Concat(s.schemas, s.relations, s.indexes, s.constraints, s.types, s.functions)), nil
	case "hidden":
		return attributesConst(s.hidden), nil
	}
	if keys := v.systemKeys(name); keys != nil {
		return textsConst(keys), nil
	}
	return nil, fmt.Errorf("there is no set %q", name)
}

// systemKeys are sets of names, for views that show no OIDs: keyText says how
// they are written.
func (v *View) systemKeys(name string) []string {
	s, objects := v.visible(), &v.snapshot.Objects
	out := []string{}
	schemas := map[uint32]string{} // of indexes and constraints, which are their relations'
	for _, t := range v.snapshot.Tables {
		schemas[t.OID] = t.Name.Schema
	}
	switch name {
	case "schemanames":
		for _, x := range objects.Schemas {
			if _, ok := slices.BinarySearch(s.schemas, x.OID); ok {
				out = append(out, x.Name)
			}
		}
	case "tablekeys", "columnkeys":
		for _, n := range v.sortedNames() {
			g := v.grants[n]
			switch {
			case g.broken != nil:
			case name == "tablekeys":
				out = append(out, keyText(n.Schema, n.Table))
			default:
				for _, c := range g.columns {
					out = append(out, keyText(n.Schema, n.Table, c.column.Name))
				}
			}
		}
	case "indexkeys":
		return v.keysOf(s.indexes, func(yield func(uint32, catalog.Name)) {
			for _, x := range objects.Indexes {
				yield(x.OID, catalog.Name{Schema: schemas[x.Table], Table: x.Name})
			}
		})
	case "constraintkeys":
		return v.keysOf(s.constraints, func(yield func(uint32, catalog.Name)) {
			for _, k := range objects.Constraints {
				yield(k.OID, catalog.Name{Schema: schemas[k.Table], Table: k.Name})
			}
		})
	case "typekeys":
		return v.keysOf(s.types, func(yield func(uint32, catalog.Name)) {
			for _, t := range objects.Types {
				yield(t.OID, catalog.Name{Schema: t.Schema, Table: t.Name})
			}
		})
	case "routinekeys":
		return v.keysOf(s.functions, func(yield func(uint32, catalog.Name)) {
			for _, f := range objects.Functions {
				yield(f.OID, catalog.Name{Schema: f.Schema, Table: f.Name + "_" + oidText(f.OID)})
			}
		})
	default:
		return nil
	}
	return out
}

// keysOf are the keys of the shown ones among all objects of a kind. A name
// that a hidden object has too is left out: the rows of either look the same.
func (v *View) keysOf(shown []uint32, all func(yield func(uint32, catalog.Name))) []string {
	out := []string{}
	hidden := map[string]bool{}
	all(func(oid uint32, n catalog.Name) {
		if _, ok := slices.BinarySearch(shown, oid); ok {
			out = append(out, keyText(n.Schema, n.Table))
			return
		}
		hidden[keyText(n.Schema, n.Table)] = true
	})
	return slices.DeleteFunc(out, func(k string) bool { return hidden[k] })
}

// keyText joins names so that different ones never give the same text: the
// lengths in characters of all but the last, then the names. keySQL is the
// same in SQL.
func keyText(names ...string) string {
	var b strings.Builder
	for _, n := range names[:len(names)-1] {
		b.WriteString(strconv.Itoa(utf8.RuneCountInString(n)) + " ")
	}
	for _, n := range names {
		b.WriteString(n)
	}
	return b.String()
}

func keySQL(columns ...string) string {
	var parts []string
	for _, c := range columns[:len(columns)-1] {
		parts = append(parts, "length("+c+"::text)", "' '")
	}
	for _, c := range columns {
		parts = append(parts, c+"::text")
	}
	return "(" + strings.Join(parts, " || ") + ")"
}

func oidsConst(list []uint32) *pg_query.Node {
	texts := make([]string, len(list))
	for i, oid := range list {
		texts[i] = oidText(oid)
	}
	return arrayOf(texts, "oid")
}

func oidText(oid uint32) string { return strconv.FormatUint(uint64(oid), 10) }

// attributesConst writes columns as one number each: relation * 65536 + number,
// as :hidden is compared with.
func attributesConst(list []attribute) *pg_query.Node {
	texts := make([]string, len(list))
	for i, a := range list {
		texts[i] = strconv.FormatInt(int64(a.relation)<<16+int64(a.number), 10)
	}
	return arrayOf(texts, "int8")
}

func textsConst(list []string) *pg_query.Node { return arrayOf(quotedElements(list), "text") }

// quotedElements spells texts as elements of an array literal.
func quotedElements(list []string) []string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	return texts
}

func arrayOf(elements []string, typ string) *pg_query.Node {
	return stmt.Cast(stmt.StringConst("{"+strings.Join(elements, ",")+"}"), typeNamed(typ+"[]"))
}

// typeNamed is a type of pg_catalog by its name, or with [] an array of one.
func typeNamed(name string) *pg_query.TypeName {
	element, array := strings.CutSuffix(name, "[]")
	t := &pg_query.TypeName{Names: stmt.Names(builtinSchema, element), Typemod: -1}
	if array {
		t.ArrayBounds = []*pg_query.Node{{Node: &pg_query.Node_Integer{Integer: &pg_query.Integer{Ival: -1}}}}
	}
	return t
}

func (v *View) pathText() string {
	path := make([]string, len(v.role.SearchPath))
	for i, p := range v.role.SearchPath {
		path[i] = spellIdentifier(p)
	}
	return strings.Join(path, ", ")
}
