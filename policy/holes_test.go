package policy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pgask/pgask/policy"
)

// Every way in which a statement can run code that people made, or look a name
// up, is refused: leak is any function outside the lists.
func TestHoles(t *testing.T) {
	places := strings.Split(strings.TrimSpace(`
SELECT leak(1)
SELECT public.leak(id) FROM orders
SELECT id FROM orders WHERE leak(id)
SELECT id FROM orders ORDER BY leak(id)
SELECT id FROM orders GROUP BY id, leak(id)
SELECT max(id) FROM orders HAVING leak(1)
SELECT DISTINCT ON (leak(id)) id FROM orders
SELECT id FROM orders LIMIT leak(1)
SELECT id FROM orders OFFSET leak(1)
SELECT id FROM orders FETCH FIRST (leak(1)) ROWS ONLY
SELECT count(*) FILTER (WHERE leak(id)) FROM orders
SELECT percentile_cont(leak(1)) WITHIN GROUP (ORDER BY id) FROM orders
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY leak(id)) FROM orders
SELECT string_agg(status::text, ',' ORDER BY leak(id)) FROM orders
SELECT sum(id) OVER (PARTITION BY leak(id)) FROM orders
SELECT sum(id) OVER (ORDER BY leak(id)) FROM orders
SELECT sum(id) OVER (ORDER BY id ROWS BETWEEN leak(1) PRECEDING AND CURRENT ROW) FROM orders
SELECT sum(id) OVER w FROM orders WINDOW w AS (ORDER BY leak(id))
SELECT leak(id) OVER () FROM orders
SELECT * FROM leak(1)
SELECT * FROM leak(1) WITH ORDINALITY
SELECT * FROM ROWS FROM (generate_series(1, 2), leak(1)) AS t(a, b)
SELECT * FROM orders, LATERAL leak(id)
SELECT * FROM generate_series(1, leak(1))
SELECT o.id FROM orders o JOIN accounts a ON leak(o.id)
SELECT id FROM orders TABLESAMPLE SYSTEM (leak(1))
SELECT id FROM orders TABLESAMPLE SYSTEM (1) REPEATABLE (leak(1))
SELECT id FROM orders TABLESAMPLE leak (1)
SELECT id FROM orders TABLESAMPLE public.leak (1)
VALUES (1), (leak(1))
SELECT ARRAY[leak(1)], ROW(2)
SELECT ROW(1, leak(1))
SELECT ARRAY(SELECT leak(1))
SELECT CASE WHEN leak(1) THEN 1 END
SELECT CASE leak(1) WHEN 1 THEN 1 END
SELECT CASE WHEN true THEN 1 ELSE leak(1) END
SELECT COALESCE(NULL, leak(1))
SELECT NULLIF(1, leak(1))
SELECT GREATEST(1, leak(1))
SELECT leak(1) IS NULL
SELECT leak(1) IS TRUE
SELECT 1 IS DISTINCT FROM leak(1)
SELECT 1 IN (1, leak(1))
SELECT 1 BETWEEN 0 AND leak(1)
SELECT 'a' LIKE leak(1) ESCAPE 'x'
SELECT 'a' SIMILAR TO leak(1)
SELECT now() AT TIME ZONE leak(1)
SELECT (ARRAY[1, 2])[leak(1)]
SELECT (ARRAY[1, 2])[1:leak(1)]
SELECT EXISTS (SELECT leak(1))
SELECT 1 > ANY (SELECT leak(1))
SELECT 1 = ALL (ARRAY[leak(1)])
SELECT extract(year FROM leak(1))
SELECT substring('a' FROM leak(1))
SELECT make_interval(days => leak(1))
SELECT concat(VARIADIC leak(1))
SELECT GROUPING(leak(id)) FROM orders GROUP BY leak(id)
WITH x AS (SELECT leak(1)) SELECT 1
WITH x AS MATERIALIZED (SELECT 1 WHERE leak(1)) SELECT 1 FROM x
WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT leak(n) FROM x) SELECT n FROM x
SELECT 1 UNION SELECT leak(1)
SELECT 1 EXCEPT (SELECT 1 INTERSECT SELECT leak(1))
COPY (SELECT leak(1)) TO STDOUT
DECLARE c CURSOR FOR SELECT leak(1)
PREPARE p AS SELECT leak(1)
EXECUTE p(leak(1))
EXPLAIN SELECT leak(1)
SELECT format_type(leak(1), NULL)
SELECT leak(1)::regclass
SELECT has_table_privilege(leak(1), 'select')
SELECT pg_get_expr(leak(1), 1)
SELECT aclexplode(leak(1))
SELECT set_config('bytea_output', leak(1), false)
SELECT obj_description(1, leak(1))
SELECT current_schemas(leak(1))
SELECT a.leak FROM accounts a
SELECT (a).leak FROM accounts a
SELECT (a.*).leak FROM accounts a
SELECT (SELECT a).leak FROM accounts a
SELECT x.leak FROM (SELECT id FROM orders) x
WITH RECURSIVE r(v) AS (SELECT 1 UNION ALL SELECT v FROM r) CYCLE v SET leak USING p SELECT (a).leak FROM (SELECT q.* FROM r q) a
WITH RECURSIVE r(v) AS (SELECT 1 UNION ALL SELECT v FROM r) SEARCH DEPTH FIRST BY v SET leak SELECT a.leak FROM (SELECT * FROM r) a
SELECT lower(a) FROM accounts a
SELECT lower(a.*) FROM accounts a
SELECT 1 OPERATOR(leak.+) 2
SELECT OPERATOR(leak.-) 2
SELECT 1 OPERATOR(leak.=) ANY (ARRAY[1])
SELECT 1 OPERATOR(leak.=) ALL (SELECT 1)
SELECT (1, 2) OPERATOR(leak.=) (1, 2)
SELECT id FROM orders ORDER BY id USING OPERATOR(leak.<)
SELECT sum(id) OVER (ORDER BY id USING OPERATOR(leak.<)) FROM orders
SELECT 'x'::leak
SELECT 'x'::public.email_dom
SELECT '{x}'::public.email_dom[]
SELECT '{x}'::public._email_dom
SELECT 'x'::secret_kind
SELECT '{x}'::secret_kind[]
SELECT NULL::accounts
SELECT NULL::payroll
SELECT '{}'::payroll[]
SELECT NULL::vault.secrets
SELECT (json_populate_record(NULL::vault.secrets, '{}')).*
SELECT 'x'::refcursor
SELECT '{a=r/b}'::aclitem[]
SELECT '<a/>'::xml
SELECT 'x'::cstring
SELECT 1::xid
SELECT '(1,2)'::record
SELECT 'x'::pg_catalog.pg_node_tree
SELECT 'YES'::information_schema.yes_or_no
SELECT 1::leak.int4
SELECT * FROM json_to_record('{}') AS x(a public.email_dom)
SELECT * FROM json_to_record('{}') AS x(a payroll)
SELECT * FROM json_to_record('{}') AS x(a regclass)
SELECT * FROM json_to_record('{}') AS x(a aclitem)
SELECT * FROM json_to_record('{}') AS x(a text COLLATE leak)
SELECT * FROM json_to_recordset('[]') AS x(a accounts)
PREPARE p(regclass) AS SELECT $1
PREPARE p(public.email_dom) AS SELECT $1
SELECT public.leak_agg(id) FROM orders
SELECT leak_agg(DISTINCT id) FROM orders
SELECT name COLLATE leak FROM accounts
SELECT name FROM accounts ORDER BY name COLLATE public.leak
SELECT 'a' < 'b' COLLATE "leak"
SELECT SYSTEM_USER
SELECT xmlelement(name a, leak(1))
SELECT * FROM xmltable('/a' PASSING '<a/>' COLUMNS b int)
SELECT ts_rewrite('a', 'SELECT leak(1)')
SELECT pg_input_is_valid('payroll', 'regclass')
SELECT pg_describe_object(1259, 1, 0)
SELECT pg_identify_object(1259, 1, 0)
SELECT pg_get_object_address('table', '{public,payroll}', '{}')
SELECT pg_filenode_relation(0, 1)
SELECT pg_partition_root('payroll')
SELECT pg_sequence_parameters(1)
SELECT pg_collation_for('a')
SELECT currtid2('payroll', '(0,1)')
SELECT to_tsvector('vault.leak', 'x')
SELECT 'payroll'::regclass
SELECT regclass 'payroll'
SELECT CAST('payroll' AS regclass)
SELECT 'run_sql'::regrole
`), "\n")
	for _, roles := range []string{"analyst", "regional", "finance"} {
		v := view(t, attributes, roles)
		for _, sql := range places {
			a, err := authorize(v, sql, policy.Options{Cap: true})
			var denied *policy.Denied
			if !errors.As(err, &denied) {
				t.Errorf("%s: %s: %v %s", roles, sql, err, a.SQL())
			} else if denied.Unwrap() != nil {
				t.Errorf("%s: %s is refused only by the proof: %v", roles, sql, denied.Unwrap())
			}
		}
	}
}

// A column that is denied and one that doesn't exist are refused in the same
// words, with the same hints, wherever they are named.
func TestDeniedColumnIsMissing(t *testing.T) {
	v := view(t, attributes, "analyst")
	for _, form := range []string{"SELECT ? FROM accounts", "SELECT a.? FROM accounts a", "SELECT accounts.? FROM accounts", "SELECT public.accounts.? FROM accounts",
		"SELECT (a).? FROM accounts a", "SELECT (a.*).? FROM accounts a", "SELECT (accounts).? FROM accounts", "SELECT (public.accounts.*).? FROM accounts",
		"SELECT id FROM orders o WHERE EXISTS (SELECT FROM accounts a WHERE (a).? = o.id)", "SELECT id FROM accounts a WHERE (a).? IS NULL",
		"SELECT id FROM accounts ORDER BY ?", "SELECT count(*) FROM accounts GROUP BY ?", "SELECT x.? FROM (SELECT * FROM accounts) x",
		"SELECT (x).? FROM (SELECT * FROM accounts) x", "SELECT o.id FROM orders o JOIN accounts a USING (?)", "COPY (SELECT (a).? FROM accounts a) TO STDOUT"} {
		var said [2]string
		for i, name := range []string{"tax_id", "tax_ix"} {
			_, err := authorize(v, strings.ReplaceAll(form, "?", name), policy.Options{})
			var d *policy.Denied
			if !errors.As(err, &d) {
				t.Fatalf("%s with %s: %v", form, name, err)
			}
			said[i] = strings.ReplaceAll(d.SQLState()+" "+d.Error()+" "+d.Hint(), name, "?")
		}
		if said[0] != said[1] {
			t.Errorf("%s\ndenied:  %s\nmissing: %s", form, said[0], said[1])
		}
	}
}
