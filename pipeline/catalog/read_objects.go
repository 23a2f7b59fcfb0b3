package catalog

import (
	"slices"
	"strings"
)

// system reads the relations of the system schemas.
func (r *reader) system() error {
	var t Table
	var kind, category string
	var c Column
	var attnum int16
	return r.each(systemQuery, []any{&t.OID, &t.Name.Schema, &t.Name.Table, &kind, &c.Name, &attnum,
		&c.Type.OID, &c.Type.Schema, &c.Type.Name, &c.Type.SQL, &category}, func() {
		list := r.objects.System
		if len(list) == 0 || list[len(list)-1].OID != t.OID {
			list = append(list, &Table{OID: t.OID, Name: t.Name, Kind: Kind(kind[0]), Rows: -1})
		}
		d := c
		d.Attnum, d.Type.Category = int(attnum), first(category)
		last := list[len(list)-1]
		last.Columns = append(last.Columns, &d)
		if c.Name == "oid" && last.Kind == KindTable {
			last.PrimaryKey = []string{c.Name} // declared from Postgres 14 on
		}
		r.objects.System = list
	})
}

func (r *reader) schemas() error {
	var s Schema
	return r.each(schemasQuery, []any{&s.OID, &s.Name}, func() { r.objects.Schemas = append(r.objects.Schemas, s) })
}

func (r *reader) indexes() error {
	var x Index
	var columns []int16
	return r.each(indexesQuery, []any{&x.OID, &x.Name, &x.Table, &columns, &x.Expression, &x.Schemas}, func() {
		y := x
		y.Schemas = slices.Clone(x.Schemas)
		y.Columns = attnums(columns)
		r.objects.Indexes = append(r.objects.Indexes, y)
	})
}

func (r *reader) constraints() error {
	var k Constraint
	var kind string
	var columns, ref []int16
	return r.each(constraintsQuery, []any{&k.OID, &k.Name, &kind, &k.Table, &k.Index, &columns, &k.Ref, &ref}, func() {
		l := k
		l.Kind, l.Columns, l.RefColumns = first(kind), attnums(columns), attnums(ref)
		r.objects.Constraints = append(r.objects.Constraints, l)
	})
}

func (r *reader) functions() error {
	var f Function
	var schemas, names []string
	return r.each(functionsQuery, []any{&f.OID, &f.Schema, &f.Name, &f.Args, &f.Result, &schemas, &names, &f.Least, &f.Variadic}, func() {
		g := f
		g.Args, g.Takes = slices.Clone(f.Args), make([]Name, len(names))
		for i := range names {
			g.Takes[i] = Name{Schema: schemas[i], Table: names[i]}
		}
		r.objects.Functions = append(r.objects.Functions, g)
	})
}

func (r *reader) added() error {
	var name string
	return r.each(addedQuery, []any{&name}, func() { r.objects.Added = append(r.objects.Added, name) })
}

func (r *reader) typeCode() error {
	var c TypeCode
	var names []string
	return r.each(typeCodeQuery, []any{&c.Types, &c.What, &names, &c.Function, &c.Schema, &c.Name}, func() {
		d := c
		d.Types = slices.Clone(c.Types)
		d.What = "the " + c.What + " of " + strings.Join(names, " as ")
		r.objects.Code = append(r.objects.Code, d)
	})
}

func (r *reader) typeObjects() error {
	var t TypeObject
	var kind string
	return r.each(typeObjectsQuery, []any{&t.OID, &t.Schema, &t.Name, &kind, &t.Relation, &t.Table, &t.Element, &t.Base, &t.Parts}, func() {
		u := t
		u.Kind, u.Parts = first(kind), slices.Clone(t.Parts)
		r.objects.Types = append(r.objects.Types, u)
	})
}

func attnums(list []int16) []int {
	out := make([]int, len(list))
	for i, n := range list {
		out[i] = int(n)
	}
	return out
}
