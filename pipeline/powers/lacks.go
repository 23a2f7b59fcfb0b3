package powers

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/pipeline/catalog"
)

// Lacks tells what the login that conn is a session of can't read of what its
// roles may: columns by relation. Without it, their statements fail in Postgres.
// SQL gives it, and the whole relation only where all its columns are needed.
func Lacks(ctx context.Context, conn *pgx.Conn, reads map[catalog.Name][]string) ([]Power, error) {
	var schemas, tables, columns []string
	for n, list := range reads {
		for _, c := range list {
			schemas, tables, columns = append(schemas, n.Schema), append(tables, n.Table), append(columns, c)
		}
	}
	rows, err := conn.Query(ctx, `
		SELECT n.nspname, c.relname, array_agg(a.attname::text ORDER BY a.attnum), NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE'),
			array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE NOT pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')),
			count(*) = (SELECT count(*) FROM pg_catalog.pg_attribute t WHERE t.attrelid = c.oid AND t.attnum > 0 AND NOT t.attisdropped), session_user
		FROM unnest($1::text[], $2::text[], $3::text[]) AS r (schema, relation, name)
			JOIN pg_catalog.pg_namespace n ON n.nspname = r.schema
			JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = r.relation
			JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = r.name AND NOT a.attisdropped
		GROUP BY n.oid, n.nspname, c.oid, c.relname
		ORDER BY n.nspname, c.relname`, schemas, tables, columns)
	if err != nil {
		return nil, err
	}
	var out []Power
	closed := map[string]bool{} // schemas that it may not use
	var n catalog.Name
	var all, lacking []string
	var outside, whole bool
	var login string
	_, err = pgx.ForEachRow(rows, []any{&n.Schema, &n.Table, &all, &outside, &lacking, &whole, &login}, func() error {
		if outside {
			closed[n.Schema] = true
		}
		switch {
		case len(lacking) == len(all) && whole:
			out = append(out, lack(spell(n), grantTable(n, login)))
		case len(lacking) > 0:
			out = append(out, lack(idents(lacking)+" of "+spell(n), grantColumns(n, lacking, login)))
		}
		return nil
	})
	for _, s := range slices.Sorted(maps.Keys(closed)) {
		out = append(out, Power{What: "may not use the schema " + ident(s) + ", whose tables its roles may read",
			SQL: []string{fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", ident(s), ident(login))}})
	}
	return out, err
}

func grantTable(n catalog.Name, login string) string {
	return "GRANT SELECT ON " + spell(n) + " TO " + ident(login)
}

func grantColumns(n catalog.Name, columns []string, login string) string {
	return fmt.Sprintf("GRANT SELECT (%s) ON %s TO %s", idents(columns), spell(n), ident(login))
}

func lack(what, sql string) Power {
	return Power{What: "can't read " + what + ", which its roles may", SQL: []string{sql}}
}
