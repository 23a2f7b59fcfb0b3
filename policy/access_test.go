package policy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

// overload is one function of pg_proc.
type overload struct {
	name string
	args []string
}

func overloads(t *testing.T, c *catalogs, names []string) []overload {
	t.Helper()
	r, err := c.conn.Query(context.Background(), `SELECT proname, COALESCE((SELECT array_agg(format_type(a, NULL) ORDER BY i)
		FROM unnest(proargtypes) WITH ORDINALITY AS x(a, i)), '{}') FROM pg_proc WHERE pronamespace = 11 AND proname = ANY ($1) ORDER BY 1, 2`, names)
	if err != nil {
		t.Fatal(err)
	}
	out, err := pgx.CollectRows(r, func(r pgx.CollectableRow) (o overload, err error) { return o, r.Scan(&o.name, &o.args) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// candidates are expressions for an argument of a type: over x.o, every OID of
// the database, x.n, every name, and y.i, small numbers.
func candidates(typ string) []string {
	switch typ {
	case "oid", "regclass":
		return []string{"x.o", "x.o::oid", "x.o::regclass", "x.o::text::regclass", "x.o::regtype", "x.n::regclass", "(SELECT x.o)", "to_regclass(x.n)"}
	case "text", "name":
		return []string{"x.n", "x.n::text", "x.o::text"}
	case "smallint", "integer":
		return []string{"y.i"}
	case "boolean":
		return []string{"true"}
	case `"char"`:
		return []string{"'r'"}
	}
	return []string{"NULL", "x.n", "x.o"}
}

// forms are the calls of an overload, one argument at a time in each of its
// forms.
func forms(o overload) []string {
	choices := make([][]string, len(o.args))
	for i, typ := range o.args {
		choices[i] = candidates(typ)
		if i == len(o.args)-1 && (strings.HasPrefix(o.name, "has_") || o.name == "pg_has_role") {
			choices[i] = []string{"'SELECT, USAGE, EXECUTE, CONNECT, MEMBER'"}
		}
		if i == 1 && strings.HasSuffix(o.name, "obj_description") {
			choices[i] = []string{"'pg_class'", "'pg_type'", "'pg_proc'", "'pg_namespace'", "'pg_constraint'", "'pg_trigger'", "'pg_database'", "'pg_authid'"}
		}
	}
	var out []string
	for i := range choices {
		for _, e := range choices[i] {
			call := make([]string, len(choices))
			for k := range choices {
				call[k] = choices[k][0]
			}
			call[i] = e
			out = append(out, fmt.Sprintf("%s(%s)", o.name, strings.Join(call, ", ")))
		}
	}
	if len(choices) == 0 {
		out = []string{o.name + "()"}
	}
	return out
}

// everything is a FROM clause with every OID and every name of the database.
func everything(t *testing.T, c *catalogs) string {
	t.Helper()
	var oids, names string
	err := c.conn.QueryRow(context.Background(), `
		WITH o AS (SELECT oid FROM pg_class WHERE oid > 16000 OR oid = 1259 UNION SELECT oid FROM pg_type WHERE oid > 16000 OR oid IN (23, 1007)
			UNION SELECT oid FROM pg_proc WHERE oid > 16000 UNION SELECT oid FROM pg_constraint WHERE oid > 16000 UNION SELECT oid FROM pg_namespace UNION SELECT oid FROM pg_authid UNION SELECT oid FROM pg_database UNION SELECT oid FROM pg_trigger
			UNION SELECT oid FROM pg_rewrite UNION SELECT oid FROM pg_policy UNION SELECT oid FROM pg_statistic_ext UNION SELECT oid FROM pg_operator WHERE oid > 16000
			UNION SELECT oid FROM pg_collation WHERE oid > 16000 UNION SELECT oid FROM pg_ts_config UNION SELECT oid FROM pg_ts_dict UNION SELECT oid FROM pg_extension
			UNION SELECT oid FROM pg_foreign_server UNION SELECT oid FROM pg_attrdef UNION SELECT oid FROM pg_publication UNION SELECT 0 UNION SELECT 4000000000),
		n AS (SELECT relname::text AS n, relnamespace AS s FROM pg_class WHERE oid > 16000 UNION SELECT typname, typnamespace FROM pg_type WHERE oid > 16000
			UNION SELECT proname, pronamespace FROM pg_proc WHERE oid > 16000 UNION SELECT rolname, 0 FROM pg_authid UNION SELECT nspname, 0 FROM pg_namespace
			UNION SELECT datname, 0 FROM pg_database UNION SELECT collname, collnamespace FROM pg_collation WHERE oid > 16000
			UNION SELECT cfgname, cfgnamespace FROM pg_ts_config UNION SELECT dictname, dictnamespace FROM pg_ts_dict)
		SELECT (SELECT array_agg(oid::int8)::text FROM o),
			(SELECT array_agg(DISTINCT m)::text FROM n, LATERAL (VALUES (n), (quote_ident(n)), ((SELECT nspname FROM pg_namespace WHERE oid = s) || '.' || n), ('"' || n || '"')) v(m))`).Scan(&oids, &names)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(` FROM (SELECT o, NULL::text AS n FROM unnest('%s'::int8[]) AS o UNION ALL SELECT NULL, n FROM unnest('%s'::text[]) AS n) AS x, generate_series(-1, 16) AS y(i)`,
		oids, strings.ReplaceAll(names, "'", "''"))
}

// Every access function, with every OID and every name of the database, in
// every form of its arguments, says nothing of what is hidden.
func TestAccessSweep(t *testing.T) {
	c := newCatalogs(t)
	from := everything(t, c)
	asked, told := map[string]bool{}, 0
	sweep := func(e string) bool {
		if _, done := asked[e]; done {
			return asked[e]
		}
		from := from
		if !strings.Contains(e, "y.") {
			from = strings.Replace(from, "generate_series(-1, 16)", "generate_series(1, 1)", 1)
		}
		rows, err := c.ask(t, "SELECT DISTINCT ("+e+")::text"+from)
		if word := c.leak(rows); word != "" {
			t.Errorf("%s says %q", e, word)
		}
		asked[e], told = err == nil, told+len(rows)
		if sqlState(err) != "" && sqlState(err) != "22P02" && sqlState(err) != "42846" {
			t.Errorf("%s: %v", e, err)
		}
		return err == nil
	}
	for _, o := range overloads(t, c, policy.AccessFunctions()) {
		answered := false
		for _, e := range forms(o) {
			answered = sweep(e) || answered
		}
		// The two that take only literals have tests of their own.
		if !answered && o.name != "set_config" && o.name != "current_setting" {
			t.Errorf("%s%v is never answered", o.name, o.args)
		}
	}
	for _, kind := range []string{"regclass", "regtype", "regproc", "regprocedure", "regoper", "regoperator", "regnamespace", "regrole", "regcollation", "regconfig", "regdictionary"} {
		for _, e := range []string{"x.o::%s", "x.o::oid::%s", "x.o::text::%s", "x.n::%s", "CAST(x.n AS pg_catalog.%s)", "x.n::%s::oid", "ARRAY[x.o]::%s[]", "to_%s(x.n)", "to_%s(x.o::text)",
			"'{}'::oid[]::%s[]", "COALESCE(x.o::%s, '0'::%[1]s)", "x.n::%s = x.o", "pg_typeof(x.o::%s)", "(SELECT x.o::%s)", "ARRAY(SELECT x.o::%s)", "x.o IN (SELECT x.n::%s)"} {
			sweep(fmt.Sprintf(e, kind))
		}
	}
	if len(asked) < 500 || told < 2000 {
		t.Errorf("%d statements gave %d rows", len(asked), told)
	}
	t.Logf("%d statements, %d rows", len(asked), told)
}

// What tools ask, and what a database that holds only what the clerk may see
// would answer.
func TestAccessAnswers(t *testing.T) {
	c := newCatalogs(t)
	for _, test := range []struct{ sql, want string }{
		{"SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'sales.shown_orders'::regclass AND attnum > 0 ORDER BY attnum",
			"id|integer customer|integer status|sales.shown_status place|sales.shown_place span|sales.shown_span note|text total|numeric(10,2) twice|numeric parts| part| hidden|integer counted|integer"},
		{"SELECT conname, pg_get_constraintdef(oid, true) FROM pg_constraint WHERE conrelid = 'sales.shown_orders'::regclass AND contype IN ('f', 'p') ORDER BY 1",
			"shown_key|FOREIGN KEY (customer) REFERENCES sales.shown_customers(id) shown_orders_pkey|PRIMARY KEY (id)"},
		{"SELECT pg_get_indexdef(indexrelid, 0, true) FROM pg_index WHERE indrelid = 'sales.shown_orders'::regclass AND NOT indisprimary",
			"CREATE INDEX shown_index ON sales.shown_orders USING btree (customer, status)"},
		{"SELECT pg_get_indexdef(indexrelid, 2, true) FROM pg_index WHERE indrelid = 'sales.shown_orders'::regclass AND NOT indisprimary", "status"},
		{"SELECT obj_description('sales.shown_orders'::regclass, 'pg_class'), obj_description('sales.shown_orders'::regclass)", "shown comment|shown comment"},
		{"SELECT attnum, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'sales.shown_orders'::regclass AND attnum BETWEEN 7 AND 8 ORDER BY 1", "7| 8|shown column comment"},
		{"SELECT col_description('sales.shown_orders'::regclass, 3)", ""},
		{"SELECT relname FROM pg_class c WHERE relname LIKE 'shown%' AND relkind = 'r' AND pg_table_is_visible(c.oid) ORDER BY 1", "shown_customers shown_orders"},
		{"SELECT pg_table_is_visible('pg_class'::regclass), pg_table_is_visible(99999999), pg_type_is_visible('int4'::regtype)", "t|f|t"},
		{"SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relname = 'shown_orders'", "ana"},
		{"SELECT (current_schemas(true))[1], (pg_catalog.current_schemas(false))[1], array_upper(current_schemas(false), 1)", "pg_catalog|public|2"},
		// Names and OIDs.
		{"SELECT 'shown_orders'::regclass, 'sales.shown_orders'::regclass::text, 'pg_class'::regclass, 'pg_catalog.pg_type'::regclass, 'sales.shown_index'::regclass", "shown_orders|shown_orders|pg_class|pg_type|shown_index"},
		{"SELECT 'pg_class'::regclass::oid, 'pg_class'::regclass = 1259, '1259'::regclass, 1259::regclass, 0::regclass", "1259|t|pg_class|pg_class|-"},
		{"SELECT relname FROM pg_class WHERE oid = 'sales.shown_orders'::regclass", "shown_orders"},
		{"SELECT relname FROM pg_class WHERE oid IN ('sales.shown_orders'::regclass, 'pg_class'::regclass) ORDER BY 1", "pg_class shown_orders"},
		{"SELECT relname FROM pg_class WHERE oid::regclass = 'shown_orders'", "shown_orders"},
		{"SELECT relname FROM pg_class WHERE oid = ANY (ARRAY['sales.shown_orders'::regclass])", "shown_orders"},
		{"SELECT relname FROM pg_class WHERE oid IN (SELECT 'sales.shown_orders'::regclass UNION ALL VALUES ('pg_am'::regclass)) ORDER BY 1", "pg_am shown_orders"},
		{"SELECT c.oid::regclass FROM pg_class c WHERE relname = 'shown_orders'", "sales.shown_orders"},
		{"SELECT c.relname, x.r FROM (SELECT 'sales.shown_orders'::regclass AS r) x JOIN pg_class c ON c.oid = x.r", "shown_orders|shown_orders"},
		{"SELECT relname FROM pg_class c, (SELECT conrelid::regclass AS r, conname FROM pg_constraint) x WHERE c.oid = x.r AND r = 'sales.shown_orders' GROUP BY 1", "shown_orders"},
		{"WITH x AS (SELECT oid::regclass AS r FROM pg_class WHERE relname = 'shown_orders'), y AS (SELECT * FROM x) SELECT relname, y.r FROM pg_class JOIN y ON y.r = oid", "shown_orders|sales.shown_orders"},
		{"SELECT relname FROM pg_class c WHERE EXISTS (SELECT 1 FROM (SELECT 'sales.shown_orders'::regclass) AS x (r) WHERE x.r = c.oid)", "shown_orders"},
		{"SELECT t.typname FROM (SELECT atttypid::regtype AS r FROM pg_attribute WHERE attrelid = 'sales.shown_orders'::regclass AND attnum = 1) x, pg_type t WHERE x.r IN (t.oid)", "int4"},
		{"SELECT x.r::oid = c.oid, x.r IS NOT DISTINCT FROM c.oid, x.r BETWEEN c.oid AND c.oid FROM (SELECT 'sales.shown_orders'::regclass AS r) x, pg_class c WHERE c.relname = 'shown_orders'", "t|t|t"},
		{"SELECT x.r = y.r, x.r = 'pg_am'::regclass FROM (SELECT 'pg_class'::regclass AS r) x, (SELECT 1259::regclass AS r) y", "t|f"},
		{"SELECT x.r = y.r, x.r = 'sales.shown_orders'::text FROM (SELECT 'shown_orders'::regclass AS r) x, (SELECT oid::regclass AS r FROM pg_class WHERE relname = 'shown_orders') y", "t|f"},
		{"SELECT r FROM (SELECT 'pg_class'::regclass AS r UNION ALL SELECT 'pg_am'::regclass) x WHERE r = 'pg_am'::regclass", "pg_am"},
		{"SELECT (quote_ident(n.nspname) || '.' || quote_ident(relname))::regclass::oid = c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relname = 'shown_orders'", "t"},
		{"SELECT oid::regtype FROM pg_type WHERE typname IN ('int4', 'shown_status') ORDER BY 1", "integer sales.shown_status"},
		{"SELECT 'sales.shown_status'::regtype, 'integer'::regtype, 'timestamp with time zone'::regtype, 'text[]'::regtype, 'sales.shown_status[]'::regtype::oid = (SELECT typarray FROM pg_type WHERE typname = 'shown_status')",
			"shown_status|integer|timestamp with time zone|text[]|t"},
		{"SELECT proargtypes::regtype[] FROM pg_proc WHERE proname = 'shown_year'", "{date}"},
		{"SELECT unnest(proargtypes)::regtype FROM pg_proc WHERE proname = 'shown_year'", "date"},
		{"SELECT typname FROM pg_type WHERE typinput = 'pg_catalog.array_in'::regproc AND typname = '_int4'", "_int4"},
		{"SELECT typname FROM pg_type WHERE oid = to_regtype('shown_status')", "shown_status"},
		{"SELECT to_regclass('sales.hush_table'), to_regclass('nothing'), to_regtype('nothing'), to_regclass('shown_orders')", "|||shown_orders"},
		{"SELECT nspname FROM pg_namespace WHERE oid = 'sales'::regnamespace", "sales"},
		{"SELECT relnamespace::regnamespace, relowner::regrole FROM pg_class WHERE relname = 'shown_orders'", "sales|ana"},
		{"SELECT pg_typeof(1), pg_typeof('a'::text) = 'text', pg_typeof(1) = 'integer'::regtype", "integer|t|t"},
		{"SELECT pg_typeof(1) = ANY ('{text,integer}'::regtype[]), pg_typeof(1) IN ('text'::regtype, 'integer')", "t|t"},
		{"SELECT pg_typeof(part), pg_typeof(parts), pg_typeof(place), pg_typeof(ARRAY[part]) FROM sales.shown_orders LIMIT 1", "||sales.shown_place|"},
		{"SELECT count(*) FROM pg_attribute a WHERE pg_get_serial_sequence(a.attrelid::regclass::text, a.attname)::regclass::oid IS NOT NULL", "0"},
		// Where reg types meet numbers.
		{"SELECT CASE relnamespace WHEN 'sales'::regnamespace THEN 'own' WHEN 'pg_catalog'::regnamespace THEN 'system' END FROM pg_class WHERE relname IN ('shown_orders', 'pg_am') ORDER BY 1", "own system"},
		{"SELECT CASE oid::regclass WHEN 'shown_orders' THEN 1 ELSE 2 END FROM pg_class WHERE relname IN ('shown_orders', 'pg_am') ORDER BY 1", "1 2"},
		{"SELECT relname FROM pg_class WHERE oid BETWEEN SYMMETRIC 'pg_class'::regclass AND 'pg_class'::regclass", "pg_class"},
		{"SELECT relname FROM pg_class WHERE oid IS NOT DISTINCT FROM 'pg_class'::regclass AND NULLIF(oid, 'pg_am'::regclass) = 1259", "pg_class"},
		{"SELECT relname FROM pg_class WHERE (oid, relname) IN (('pg_class'::regclass, 'pg_class'), ('pg_am', 'pg_class'))", "pg_class"},
		{"SELECT relname FROM pg_class WHERE (oid, relname) = ('pg_class'::regclass, 'pg_class')", "pg_class"},
		{"SELECT relname FROM pg_class WHERE (oid, relname) IN (SELECT 'pg_class'::regclass, 'pg_class'::name)", "pg_class"},
		{"SELECT relname FROM pg_class WHERE oid = ALL (ARRAY['pg_class'::regclass, 'pg_class'])", "pg_class"},
		{"SELECT relname FROM pg_class WHERE oid = GREATEST('pg_class'::regclass, 0)", "pg_class"},
		{"SELECT relname FROM pg_class WHERE oid = ANY ('{pg_class, sales.shown_orders,NULL}'::regclass[]) ORDER BY 1", "pg_class shown_orders"},
		{"SELECT '{pg_class,1247}'::regclass[], '{}'::regclass[], '{int4,text}'::pg_catalog.regtype[]", "{pg_class,pg_type}|{}|{integer,text}"},
		{"SELECT COALESCE(NULL::regclass[], '{}'), COALESCE('{pg_class}'::regclass[], '{}'), '{}'::regclass[] = '{pg_class}', ARRAY['pg_class'::regclass] = '{1259}'", "{}|{pg_class}|f|t"},
		{"SELECT 'pg_class' = ANY (ARRAY(SELECT oid FROM pg_class)::regclass[]), 'pg_class'::regclass = ANY ('{pg_am,pg_class}'), 'pg_class' <> ALL (ARRAY['pg_am'::regclass])", "t|t|t"},
		{"VALUES ('pg_class'::regclass) UNION SELECT oid FROM pg_class WHERE relname = 'pg_am' ORDER BY 1", "1259 2601"},
		{"SELECT 'pg_class' IN (SELECT oid::regclass FROM pg_class)", "t"},
		{"SELECT relnamespace FROM pg_class WHERE relname = 'pg_am' UNION ALL SELECT 'pg_catalog'::regnamespace UNION ALL VALUES ('pg_catalog'::regnamespace)", "11 11 11"},
		{"SELECT 'pg_class'::regclass UNION SELECT oid::regclass FROM pg_class WHERE relname = 'shown_orders' ORDER BY 1", "pg_class sales.shown_orders"},
		{"SELECT 'pg_class'::regclass UNION SELECT 'shown_orders' ORDER BY 1", "pg_class shown_orders"},
		{"SELECT 'pg_class'::regclass EXCEPT SELECT x FROM (SELECT oid::regclass AS x FROM pg_am) AS s", "pg_class"},
		{"WITH s AS (SELECT 'pg_am'::regclass AS x) SELECT 'pg_class'::regclass EXCEPT SELECT x FROM s", "pg_class"},
		{"SELECT COALESCE(c.oid, 'pg_class'::regclass), CASE WHEN c.oid IS NULL THEN 'pg_class'::regclass ELSE c.oid END, ARRAY['pg_class'::regclass, c.oid] FROM (VALUES (1)) AS v LEFT JOIN pg_class c ON false",
			"1259|1259|{1259,NULL}"},
		{"SELECT COALESCE('pg_class'::regclass, 'pg_am'), (ARRAY['pg_class'::regclass, 'pg_am'])[2]", "pg_class|pg_am"},
		{"SELECT * FROM (VALUES ('pg_class'::regclass, 1), (1259::oid, 2)) AS v ORDER BY 2", "1259|1 1259|2"},
		// Privileges are the policy's.
		{"SELECT has_table_privilege('shown_orders', 'SELECT'), has_table_privilege('shown_orders', 'INSERT'), has_table_privilege('ana', 'sales.shown_orders', 'insert, select')", "t|f|t"},
		{"SELECT relname FROM pg_class c WHERE relkind = 'r' AND has_table_privilege(c.oid, 'SELECT') AND relname LIKE 'shown%' ORDER BY 1", "shown_customers shown_orders"},
		{"SELECT has_table_privilege('\"sales\".\"' || relname || '\"', 'SELECT') FROM pg_class WHERE relname = 'shown_view'", "t"},
		{"SELECT has_table_privilege('\"sales\".\"hush' || '_table\"', 'SELECT')", "f"},
		{"SELECT has_schema_privilege('sales', 'USAGE'), has_schema_privilege('sales', 'CREATE'), has_database_privilege('shop', 'CONNECT')", "t|f|t"},
		{"SELECT nspname FROM pg_namespace n WHERE has_schema_privilege(n.nspname, 'USAGE') ORDER BY 1", "pg_catalog sales"},
		{"SELECT has_column_privilege('shown_orders', 'note', 'SELECT'), has_column_privilege('shown_orders', 'hush_column', 'SELECT'), has_column_privilege('shown_orders', 'nothing', 'SELECT')", "t|f|f"},
		{"SELECT attnum, has_column_privilege(attrelid, attnum, 'SELECT') FROM pg_attribute WHERE attrelid = 'shown_orders'::regclass AND attnum = 4", "4|t"},
		{"SELECT attrelid::regclass::text LIKE '%orders', bool_and(has_column_privilege(attrelid, attnum, 'SELECT')) FROM pg_attribute WHERE attnum > 0 AND attrelid IN ('shown_orders'::regclass, 'pg_class'::regclass) GROUP BY 1 ORDER BY 1", "f|t t|t"},
		{"SELECT has_column_privilege('shown_orders', 99, 'SELECT'), has_column_privilege('shown_orders', 3, 'SELECT'), has_column_privilege('shown_orders', 0, 'SELECT'), has_column_privilege('pg_class', 1, 'SELECT'), has_column_privilege('pg_class', 99::int2, 'SELECT')", "f|f|f|t|f"},
		{"SELECT has_any_column_privilege('shown_orders', 'select'), has_function_privilege('shown_year(date)', 'execute'), has_type_privilege('shown_status', 'usage')", "t|t|t"},
		// Nothing is told of these.
		{"SELECT pg_get_expr(adbin, adrelid), pg_get_viewdef('sales.shown_view'), pg_total_relation_size('shown_orders') FROM pg_attrdef WHERE adrelid = 'shown_orders'::regclass LIMIT 1", "||"},
		{"SELECT count(*) FROM pg_class c, aclexplode(COALESCE(c.relacl, acldefault('r', c.relowner))) AS x", "0"},
		{"SELECT (aclexplode(relacl)).grantee FROM pg_class", ""},
		// Rows of functions.
		{"SELECT (r.keys).x, (r.keys).n FROM (SELECT information_schema._pg_expandarray(indkey) AS keys FROM pg_index WHERE indexrelid = 'sales.shown_index'::regclass) AS r", "2|1 4|2"},
		{"SELECT count(*) > 400, max(catdesc) IS NOT NULL FROM pg_get_keywords()", "t|t"},
		{"SELECT relid::regclass FROM pg_partition_ancestors('sales.shown_events')", "sales.shown_events"},
		{"SELECT count(*) FROM pg_partition_ancestors('shown_orders')", "0"},
		{"SELECT set_config('bytea_output', 'hex', false), current_setting('bytea_output'), current_setting('search_path'), current_setting('is_superuser', true)", "hex|hex|public, sales|off"},
		{"SELECT current_setting('jit') IS NOT NULL, set_config('jit', 'off', false), set_config('jit', lower('ON'), false)", "t|off|on"},
		{"SELECT to_tsvector('english', 'cats') = to_tsvector('english'::regconfig, 'cats')", "t"},
	} {
		rows, err := c.ask(t, test.sql)
		if got := strings.Join(rows, " "); err != nil || got != test.want {
			t.Errorf("%s\n got %s %v\nwant %s", test.sql, got, err, test.want)
		}
	}
}

// What is hidden and what doesn't exist are answered alike.
func TestAccessHiddenIsMissing(t *testing.T) {
	c := newCatalogs(t)
	pairs := map[string][2]string{
		"regclass": {"sales.hush_table", "sales.none_table"}, "regtype": {"sales.hush_status", "sales.none_status"}, "regproc": {"sales.hush_function", "sales.none_function"},
		"regprocedure": {"sales.hush_function(text)", "sales.none_function(text)"}, "regnamespace": {"hush_schema", "none_schema"},
		"regcollation": {"hush_schema.hush_collation", "hush_schema.none_collation"}, "regconfig": {"sales.hush_search", "sales.none_search"},
		"regdictionary": {"sales.hush_dictionary", "sales.none_dictionary"}, "regoper": {"sales.%%", "sales.%%%"}, "regoperator": {"sales.%%(text,text)", "sales.%%%(text,text)"},
	}
	forms := map[string][]string{
		"": {"SELECT '?'::%s", "SELECT CAST('?' AS pg_catalog.%s)::oid", "SELECT CASE 0::oid WHEN '?'::%s THEN 1 END", "SELECT 0::oid UNION SELECT '?'::%s", "SELECT ARRAY[0::%s, '?']",
			"SELECT %s '?'", "SELECT to_%s('?')", "SELECT to_%s('?' || '')", "SELECT ('?' || '')::%s",
			"SELECT oid FROM pg_class WHERE oid::%s = '?'", "SELECT ARRAY['?']::%s[]", "SELECT COALESCE(1::%s, '?')", "SELECT 1::%s UNION SELECT '?'", "SELECT '?'::%s IS NULL"},
		"regclass": {"SELECT has_table_privilege('?', 'SELECT')", "SELECT has_table_privilege('?' || '', 'SELECT')", "SELECT has_column_privilege('?', 'id', 'SELECT')",
			"SELECT pg_table_size('?')", "SELECT pg_get_viewdef('?')", "SELECT * FROM pg_partition_ancestors('?')", "SELECT pg_relation_is_publishable('?')",
			"SELECT pg_get_serial_sequence('?', 'id')", "SELECT row_security_active('?')", "SELECT NULL::?", "SELECT typname FROM pg_type WHERE typinput = '?'", "SELECT '{0,?}'::regclass[]"},
		"regtype":      {"SELECT has_type_privilege('?', 'USAGE')", "SELECT NULL::?", "SELECT pg_typeof(1) = '?'", "SELECT format_type('?'::regtype, NULL)"},
		"regproc":      {"SELECT typname FROM pg_type WHERE typinput = '?'", "SELECT oprname FROM pg_operator WHERE oprcode = '?'"},
		"regprocedure": {"SELECT has_function_privilege('?', 'EXECUTE')"},
		"regnamespace": {"SELECT has_schema_privilege('?', 'USAGE')", "SELECT has_schema_privilege('?' || '', 'USAGE')"},
		"regconfig":    {"SELECT to_tsvector('?', 'x')", "SELECT ts_headline('?', 'x', to_tsquery('x'))", "SELECT to_tsvector('?'::regconfig, 'x')"},
	}
	for kind, names := range pairs {
		for _, form := range append(forms[""], forms[kind]...) {
			if strings.Contains(form, "%s") {
				form = fmt.Sprintf(form, kind)
			}
			var said [2]string
			for i, name := range names {
				rows, err := c.ask(t, strings.ReplaceAll(form, "?", name))
				text, _, _ := strings.Cut(fmt.Sprint(err), "\n")
				said[i] = strings.ReplaceAll(fmt.Sprint(rows, text), name, "?")
			}
			if said[0] != said[1] {
				t.Errorf("%s\nhidden:  %s\nmissing: %s", form, said[0], said[1])
			}
		}
	}
}

// The second judge refuses every access function and every cast to a type that
// looks names up without exactly the view's own guard.
func TestAccessProof(t *testing.T) {
	c := newCatalogs(t)
	for _, o := range overloads(t, c, policy.AccessFunctions()) {
		args := make([]string, len(o.args))
		for i, a := range o.args {
			args[i] = "NULL::" + a
			if a == "text" || a == "name" {
				args[i] = "'16400'"
			}
			if a == "oid" || a == "smallint" || a == "integer" {
				args[i] = "16400"
			}
			if strings.HasPrefix(a, "reg") || a == "pg_node_tree" || strings.HasPrefix(a, "aclitem") || strings.HasPrefix(a, `"any`) {
				args[i] = "'16400'"
			}
		}
		for _, sql := range []string{"SELECT %s", "SELECT pg_catalog.%s", "SELECT * FROM %s AS x", "SELECT (%s)::text", "SELECT (%s).x", "SELECT 1 ORDER BY %s"} {
			sql = fmt.Sprintf(sql, o.name+"("+strings.Join(args, ", ")+")")
			if err := c.view.Prove(sql); err == nil && !strings.Contains(sql, "pg_typeof('16400'))::text") {
				t.Errorf("proven: %s", sql)
			}
		}
	}
	guard := func(bound, list, arg string) string {
		return "(SELECT CASE WHEN g.a < " + bound + list + " THEN g.a END FROM (SELECT CAST(" + arg + " AS pg_catalog.oid) AS a OFFSET 0) AS g)"
	}
	for _, sql := range []string{
		"SELECT 16400::regclass", "SELECT CAST('hush' AS pg_catalog.regclass)", "SELECT 16400::regclass::text", "SELECT x::regtype FROM (SELECT 1 AS x) AS y", "SELECT '{16400}'::regclass[]",
		"SELECT CAST(CAST('sales.hush_table' AS pg_catalog.regclass) AS pg_catalog.text)", "SELECT CAST(CAST(" + guard("99999999", "", "16400") + " AS pg_catalog.regclass) AS pg_catalog.text)",
		"SELECT format_type(" + guard("99999999", "", "16400") + ", NULL)", "SELECT format_type(" + guard("16384", " OR g.a = ANY (CAST('{16400,16401}' AS pg_catalog.oid[]))", "16400") + ", NULL)",
		"SELECT format_type((SELECT 16400), NULL)", "SELECT col_description(16400, 3)",
		"SELECT (SELECT CASE WHEN true THEN col_description(g.a, g.b) END FROM (SELECT CAST(16400 AS pg_catalog.oid) AS a, CAST(3 AS pg_catalog.int4) AS b OFFSET 0) AS g)",
		"SELECT * FROM json_to_recordset('[]') AS x(a regclass)", "SELECT aclexplode('{hush=r/hush}')", "SELECT set_config('role', 'hush', false)", "SELECT current_setting('data_directory')",
		"SELECT to_regclass('pg_class')", "SELECT CAST(to_regclass('sales.hush_table') AS pg_catalog.text)", "SELECT pg_typeof(1)", "SELECT CAST(pg_typeof(1) AS regtype)",
		"SELECT CAST(sales.pg_typeof(1) AS pg_catalog.text)", "SELECT CAST(sales.to_regtype('int4') AS pg_catalog.oid)",
	} {
		if err := c.view.Prove(sql); err == nil {
			t.Errorf("proven: %s", sql)
		}
	}
	// What is approved is proven, and stays so when its own text is asked.
	for _, sql := range []string{"SELECT format_type(oid, NULL) FROM pg_type", "SELECT oid::regclass, col_description(oid, 1) FROM pg_class", "SELECT pg_typeof(1), to_regtype('int4')"} {
		a, err := authorize(c.view, sql, policy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.view.Prove(a.SQL()); err != nil {
			t.Errorf("%s: %v", a.SQL(), err)
		}
	}
}

// A guard's argument is evaluated once: a sub-select that gives another value
// each time it runs doesn't get past it.
func TestAccessEvaluatesOnce(t *testing.T) {
	c := newCatalogs(t)
	oids := "(SELECT id::int8 FROM sales.shown_orders TABLESAMPLE bernoulli (50) LIMIT 1)"
	for _, sql := range []string{
		"SELECT format_type((16370 + (random() * 400)::int)::oid, NULL) FROM generate_series(1, 2000)",
		"SELECT s.x::regclass FROM (SELECT (16370 + (random() * 400)::int)::oid AS x FROM generate_series(1, 2000)) AS s",
		"SELECT format_type(s.x::oid, NULL) FROM (SELECT 16370 + " + oids + " * 3 AS x FROM generate_series(1, 50)) AS s",
	} {
		for range 5 {
			rows, err := c.ask(t, sql)
			if word := c.leak(rows); word != "" || err != nil && sqlState(err) == "" {
				t.Errorf("%s: %q %v", sql, word, err)
			}
		}
	}
}

// A name of which people put a function or operator into pg_catalog is no
// longer one of Postgres's own.
func TestAddedToBuiltins(t *testing.T) {
	c := newCatalogs(t)
	for _, sql := range []string{"SELECT lower('A')", "SELECT 'a' || 'b'", "SELECT format_type(23, NULL)"} {
		if _, err := c.ask(t, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	ctx := context.Background()
	if _, err := c.conn.Exec(ctx, `BEGIN READ WRITE; CREATE FUNCTION pg_catalog.lower(sales.shown_place) RETURNS text LANGUAGE sql AS 'SELECT ''hush''';
		CREATE FUNCTION pg_catalog.format_type(sales.shown_place) RETURNS text LANGUAGE sql AS 'SELECT ''hush''';
		CREATE FUNCTION pg_catalog.hush_joined(sales.shown_place, sales.shown_place) RETURNS text LANGUAGE sql AS 'SELECT ''hush''';
		CREATE OPERATOR pg_catalog.|| (leftarg = sales.shown_place, rightarg = sales.shown_place, function = pg_catalog.hush_joined); COMMIT`); err != nil {
		t.Fatal(err)
	}
	s, err := catalog.Read(ctx, c.conn, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.view, err = clerk(t).View(s, nil); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"SELECT lower('A')", "SELECT 'a' || 'b'", "SELECT format_type(23, NULL)", "SELECT pg_catalog.lower(o.place) FROM sales.shown_orders o"} {
		if rows, err := c.ask(t, sql); err == nil {
			t.Errorf("%s: %q", sql, rows)
		}
	}
}

// A text search configuration is found by its OID, too.
func TestConfigurationByNumber(t *testing.T) {
	c := newCatalogs(t)
	for _, sql := range []string{"SELECT to_tsvector(3748, 'cats')", "SELECT to_tsvector(3747 + 1, 'cats')", "SELECT to_tsquery((SELECT max(oid) FROM pg_ts_config), 'cats')",
		"SELECT ts_headline(3748, 'cats', to_tsquery('x'))", "SELECT ts_headline(oid, 'cats', to_tsquery('x')) FROM pg_ts_config", "SELECT jsonb_to_tsvector(3748, '{}', '\"all\"')",
		"SELECT obj_description(5, 'pg_largeobject')"} {
		if rows, err := c.ask(t, sql); err == nil || sqlState(err) != "" {
			t.Errorf("%s: %q %v", sql, rows, err)
		}
	}
	for _, sql := range []string{"SELECT ts_headline('english', 'cats', to_tsquery('cat'), 'MaxFragments=1')", "SELECT ts_headline(note, to_tsquery('cat')) FROM sales.shown_orders",
		"SELECT ts_headline(note, to_tsquery('cat'), 'MaxFragments=1') FROM sales.shown_orders", "SELECT jsonb_to_tsvector('{}', '\"all\"')"} {
		if _, err := c.ask(t, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
