package gold

import (
	"context"

	"github.com/jackc/pgx/v5"
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// relationships are the joins of the golden statements that no foreign key
// declares, as a semantic file would declare them: to the side on which the
// data has each value once. What can't be read is left out: converting it says
// why.
func relationships(ctx context.Context, conn *pgx.Conn, questions []Question, c *catalog.Snapshot) ([]configs.Relationship, error) {
	var out []configs.Relationship
	m, _ := semantic.Build(configs.Semantic{}, c)
	for _, q := range questions {
		tree, err := parse(q.SQL)
		if err != nil {
			continue
		}
		for _, s := range selects(tree) {
			for {
				k := &converter{schema: q.DB, catalog: c, semantic: m}
				b, err := k.scope(s, nil)
				if err != nil {
					break
				}
				p := b.undeclared()
				if p == nil {
					break
				}
				r, err := p.relationship(ctx, conn)
				if err != nil {
					return nil, err
				}
				out = append(out, r)
				m, _ = semantic.Build(configs.Semantic{Relationships: out}, c)
			}
		}
	}
	return out, nil
}

// undeclared is a join that no relationship allows, but a condition that two
// columns are equal could be; nil where there is none. That two rows have the
// same in one column is no relationship.
func (b *scope) undeclared() *pair {
	b.rels[0].placed = true
	for b.next() != nil {
	}
	for _, n := range b.conditions {
		if p := b.pair(n); p != nil && p.left.placed != p.right.placed && (p.left.table != p.right.table || p.column != p.column2) {
			return p
		}
	}
	return nil
}

func (p *pair) relationship(ctx context.Context, conn *pgx.Conn) (configs.Relationship, error) {
	left, err := unique(ctx, conn, p.left.table, p.column)
	if err != nil {
		return configs.Relationship{}, err
	}
	right, err := unique(ctx, conn, p.right.table, p.column2)
	if left && !right {
		p = &pair{p.right, p.column2, p.left, p.column}
	}
	r := configs.Relationship{From: reference(p.left, p.column), To: reference(p.right, p.column2), Cardinality: "many_to_one"}
	if left && right {
		r.Cardinality = "one_to_one"
	}
	return r, err
}

// unique tells whether no value of the column is there twice.
func unique(ctx context.Context, conn *pgx.Conn, t *catalog.Table, column string) (bool, error) {
	name := pgx.Identifier{column}.Sanitize()
	var once bool
	err := conn.QueryRow(ctx, "SELECT count("+name+") = count(DISTINCT "+name+") FROM "+
		pgx.Identifier{t.Name.Schema, t.Name.Table}.Sanitize()).Scan(&once)
	return once, err
}

func reference(r *rel, column string) configs.ColumnRef {
	return configs.ColumnRef{Name: configs.Name{Schema: r.table.Name.Schema, Table: r.table.Name.Table}, Column: column}
}

// selects are a SELECT and all inside of it.
func selects(s *pg_query.SelectStmt) []*pg_query.SelectStmt {
	var out []*pg_query.SelectStmt
	_ = stmt.Walk(stmt.SelectNode(s), func(m protoreflect.Message, _ stmt.Path) error {
		if x, ok := m.Interface().(*pg_query.SelectStmt); ok {
			out = append(out, x)
		}
		return nil
	})
	return out
}
