package cube

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/stmt"
)

// importer collects what is taken over.
type importer struct {
	*foreign.Model
	list  []*cube
	cubes map[string]*cube
}

// Format is that of Cube's data models.
func Format() foreign.Format {
	return foreign.Format{Name: "Cube", Keys: []string{"cubes", "views"}, Reasons: reasons(), Import: add}
}

func add(documents []*foreign.Document, to *foreign.Model) error {
	im := &importer{Model: to, cubes: map[string]*cube{}}
	for _, d := range documents {
		var f file
		if err := d.Decode(&f); err != nil {
			return err
		}
		for _, c := range f.Cubes {
			if c != nil {
				im.open(c)
			}
		}
		for _, v := range f.Views {
			im.Note(v.At, "view "+v.Name, "it chooses among the members of cubes; who sees what is said in policy.yaml")
		}
	}
	im.name()
	for _, c := range im.list {
		im.table(c)
	}
	for _, c := range im.list {
		for _, j := range c.Joins {
			im.join(c, j)
		}
		for _, m := range c.Measures {
			if m != nil {
				im.measure(c, m)
			}
		}
	}
	return nil
}

// open finds a cube's table; a cube without one is left out.
func (im *importer) open(c *cube) {
	var err error
	switch {
	case im.cubes[c.Name] != nil:
		err = errors.New("another cube has this name")
	case c.Extends != "":
		err = fmt.Errorf("it extends %s; write out what it takes from there", c.Extends)
	case c.SQLTable != "":
		c.table, err = im.from("SELECT * FROM " + c.SQLTable)
	default:
		c.table, err = im.from(c.SQL)
	}
	if err != nil {
		im.Note(c.At, "cube "+c.Name, "%v", err)
		return
	}
	c.dimensions, c.measures = map[string]*dimension{}, map[string]*measure{}
	for _, d := range c.Dimensions {
		if d != nil {
			c.dimensions[d.Name] = d
		}
	}
	for _, m := range c.Measures {
		if m != nil {
			c.measures[m.Name] = m
		}
	}
	im.cubes[c.Name] = c
	im.list = append(im.list, c)
}

// from is the table that a query reads whole.
func (im *importer) from(sql string) (string, error) {
	if foreign.Templated(sql) {
		return "", errors.New("its table is a template")
	}
	query := errors.New("it is of a query, not of a table; make the query a view")
	n, err := stmt.ParseOne(strings.TrimRight(strings.TrimSpace(sql), ";"), stmt.DefaultLimits())
	if err != nil || len(n.GetSelectStmt().GetFromClause()) != 1 {
		return "", query
	}
	r := n.GetSelectStmt().FromClause[0].GetRangeVar()
	if r == nil {
		return "", query
	}
	whole, err := stmt.ParseOne("SELECT * FROM "+tableName(r.Schemaname, r.Relname), stmt.DefaultLimits())
	if r.Alias, r.Catalogname = nil, ""; err != nil || !stmt.Equal(n, whole) {
		return "", query
	}
	if r.Schemaname == "" {
		return foreign.TableName(im.Schema, r.Relname), nil
	}
	return foreign.TableName(r.Schemaname, r.Relname), nil
}

func tableName(schema, table string) string {
	if schema == "" {
		return configs.Spell(table)
	}
	return foreign.TableName(schema, table)
}

// name gives each measure the name of its metric, and each dimension one for when it isn't a column: its own, with its
// cube's in front where several have it.
func (im *importer) name() {
	names := foreign.Names{"count": 2} // which of all things says only a cube
	for _, c := range im.list {
		for name := range c.measures {
			names.Add(name)
		}
		for name, d := range c.dimensions {
			n, err := im.dimension(c, d)
			if _, plain := foreign.Plain(n); err == nil && !plain {
				names.Add(name)
			}
		}
	}
	for _, c := range im.list {
		for name, m := range c.measures {
			m.called = names.Of(c.Name, name)
		}
		for name, d := range c.dimensions {
			d.called = names.Of(c.Name, name)
		}
	}
}

// table takes over a cube's table, columns and key.
func (im *importer) table(c *cube) {
	_, base, _ := strings.Cut(c.table, ".")
	out := foreign.Table{Table: c.table, Description: c.Description, Columns: map[string]foreign.Column{},
		Synonyms: foreign.Words(foreign.Spoken(base), foreign.Spoken(c.Name), strings.ToLower(c.Title))}
	var key []string
	for _, d := range c.Dimensions {
		if d == nil {
			continue
		}
		n, err := im.dimension(c, d)
		if err == nil && d.Public != nil && !*d.Public && !d.PrimaryKey {
			im.Note(d.At, "dimension "+c.Name+"."+d.Name, "it isn't public there; who sees it here is said in policy.yaml")
		}
		column, plain := foreign.Plain(n)
		switch {
		case err == nil && plain:
			column = configs.Spell(column)
			if d.PrimaryKey {
				key = append(key, column)
			}
			words := foreign.Column{Description: d.Description, Synonyms: foreign.Words(foreign.Spoken(column), foreign.Spoken(d.Name), strings.ToLower(d.Title))}
			if words.Description != "" || len(words.Synonyms) > 0 {
				out.Columns[column] = words
			}
		case err == nil:
			err = im.computed(c, d, n)
		}
		if err != nil {
			im.Note(d.At, "dimension "+c.Name+"."+d.Name, "%v", err)
		}
	}
	im.Table(out)
	for _, s := range c.Segments {
		im.Note(s.At, "segment "+c.Name+"."+s.Name, "a condition has no name of its own; a metric's filter holds it, or a column of a view")
	}
	for _, h := range c.Hierarchies {
		if err := im.hierarchy(c, h); err != nil {
			im.Note(h.At, "hierarchy "+c.Name+"."+h.Name, "%v", err)
		}
	}
	if len(key) > 0 {
		im.Entity(c.At, foreign.Entity{Name: foreign.Spoken(c.Name), Table: c.table, Key: key})
	}
}
