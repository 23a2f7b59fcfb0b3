package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/catalog"
)

func TestObjects(t *testing.T) {
	conn := connect(t, schemaScript(t)+`;
		CREATE FUNCTION other.add(int, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT $1 + $2';
		CREATE TYPE span AS RANGE (subtype = float8)`)
	s := read(t, conn, catalog.Options{})
	o := s.Objects
	relation := map[uint32]string{}
	for _, x := range s.Tables {
		relation[x.OID] = x.Name.Table
	}
	types := map[uint32]string{}
	for _, x := range o.Types {
		types[x.OID] = x.Name
	}
	var got []string
	for _, x := range o.Schemas {
		got = append(got, "schema "+x.Name)
	}
	for _, x := range o.Indexes {
		got = append(got, fmt.Sprintf("index %s on %s %v %v", x.Name, relation[x.Table], x.Columns, x.Expression))
	}
	for _, k := range o.Constraints {
		if k.Kind != 'n' { // from Postgres 18 on
			got = append(got, fmt.Sprintf("constraint %s %c on %s %v, %s %v, %v", k.Name, k.Kind, relation[k.Table], k.Columns, relation[k.Ref], k.RefColumns, k.Index != 0))
		}
	}
	for _, f := range o.Functions {
		if f.Name == "add" {
			got = append(got, fmt.Sprintf("function %s.%s %v", f.Schema, f.Name, f.Args))
		}
	}
	for _, x := range o.Types {
		if !x.Table && types[x.Element] == "" && x.Kind != 'm' {
			got = append(got, fmt.Sprintf("type %s %c %v %d %d", x.Name, x.Kind, x.Relation != 0, x.Base, x.Parts))
		}
	}
	slices.Sort(got)
	want := []string{
		"constraint clicks_event_at_fkey f on clicks [1 2], events [1 2], true",
		"constraint customers_pkey p on customers [1],  [], true",
		"constraint customers_region_fkey f on customers [2], regions [1], true",
		"constraint events_2025_pkey p on events_2025 [1 2],  [], true",
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("no %s", line)
		}
	}
	rest := slices.DeleteFunc(got, func(s string) bool { return s[:4] == "cons" })
	if diff := cmp.Diff([]string{
		"function other.add [23 20]",
		"index Order Lines_pkey on Order Lines [1 2] false",
		"index customers_pkey on customers [1] false",
		"index events_2025_pkey on events_2025 [1 2] false",
		"index events_2026_pkey on events_2026 [1 2] false",
		"index events_pkey on events [1 2] false",
		"index notes_expr on notes [0] true",
		"index notes_late_key on notes [6] false",
		"index notes_n on notes [3 4] false",
		"index notes_partial on notes [2] true",
		"index regions_name_key on regions [2] false",
		"index regions_pkey on regions [1] false",
		"schema other",
		"schema public",
		"type cheerful d false " + fmt.Sprint(oidOf(o, "mood")) + " []",
		"type mood e false 0 []",
		"type point3 c true 0 [701 701 701]",
		"type positive d false 1700 []",
		"type span r false 0 [701]",
	}, rest); diff != "" {
		t.Error(diff)
	}
	if s.FirstUser() != 16384 {
		t.Errorf("user objects begin at %d", s.FirstUser())
	}
	class := s.SystemTable(catalog.Name{Schema: "pg_catalog", Table: "pg_class"})
	if class == nil || class.OID != 1259 || class.Column("relname") == nil || class.Column("relacl").Type.SQL != "aclitem[]" {
		t.Errorf("pg_class is %+v", class)
	}
	if s.SystemTable(catalog.Name{Schema: "information_schema", Table: "columns"}) == nil {
		t.Error("no information_schema.columns")
	}
}

func oidOf(o catalog.Objects, name string) uint32 {
	for _, x := range o.Types {
		if x.Name == name {
			return x.OID
		}
	}
	return 0
}

// Objects count for the version, so that verdicts made with them are made again.
func TestObjectsVersion(t *testing.T) {
	conn := connect(t, schemaScript(t))
	last := read(t, conn, catalog.Options{}).Version
	for _, sql := range []string{
		"CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE INDEX ON tags (tag)",
		"ALTER INDEX tags_tag_idx RENAME TO other_idx", "ALTER TABLE tags ADD CHECK (tag <> '')", "CREATE SCHEMA third",
		"CREATE TYPE span AS RANGE (subtype = float8)", "CREATE FUNCTION mood_int(mood) RETURNS int LANGUAGE sql AS 'SELECT 1'",
		"CREATE CAST (mood AS int) WITH FUNCTION mood_int(mood)",
	} {
		run(t, conn, sql)
		next := read(t, conn, catalog.Options{}).Version
		if next == last {
			t.Errorf("%s didn't change the version", sql)
		}
		last = next
	}
}

// Functions that Postgres calls by itself are found in casts and in domains'
// checks, and not where it is its own or one in C.
func TestTypeCode(t *testing.T) {
	conn := connect(t, schemaScript(t)+`;
		CREATE FUNCTION mood_int(mood) RETURNS int LANGUAGE sql AS 'SELECT 1';
		CREATE CAST (mood AS int) WITH FUNCTION mood_int(mood);
		CREATE FUNCTION int_mood(bigint) RETURNS mood LANGUAGE sql AS $$SELECT 'sad'::mood$$;
		CREATE CAST (bigint AS mood) WITH FUNCTION int_mood(bigint);
		CREATE CAST (mood AS text) WITH INOUT;
		CREATE FUNCTION known(text) RETURNS bool LANGUAGE sql AS 'SELECT true';
		CREATE DOMAIN checked AS text CHECK (known(value));
		CREATE FUNCTION near(text, text) RETURNS bool LANGUAGE sql AS 'SELECT true';
		CREATE OPERATOR %% (leftarg = text, rightarg = text, function = near);
		CREATE DOMAIN compared AS text CHECK (value %% 'x');
		CREATE DOMAIN harmless AS text CHECK (lower(value) = value);
		CREATE EXTENSION citext`)
	var got []string
	for _, c := range read(t, conn, catalog.Options{}).Objects.Code {
		got = append(got, fmt.Sprintf("%s: %s.%s, %d", c.What, c.Schema, c.Name, len(c.Types)))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"the cast of int8 as public.mood: public.int_mood, 2", "the cast of public.mood as int4: public.mood_int, 2",
		"the check of public.checked: public.known, 1", "the check of public.compared: public.near, 1"}, got); diff != "" {
		t.Error(diff)
	}
}

// What an index's definition names besides columns.
func TestIndexSchemas(t *testing.T) {
	conn := connect(t, `CREATE SCHEMA side; CREATE COLLATION side.odd (locale = 'C'); CREATE SCHEMA ops; CREATE TABLE t (a text COLLATE side.odd, b text, n int);
		CREATE OPERATOR CLASS side.texts FOR TYPE text USING btree AS OPERATOR 1 <, FUNCTION 1 bttextcmp(text, text);
		CREATE INDEX own ON t (a, b); CREATE INDEX collated ON t (b COLLATE side.odd); CREATE INDEX classed ON t (b side.texts);
		CREATE OPERATOR ops.=== (leftarg = int, rightarg = int, function = int4eq, commutator = OPERATOR(ops.===));
		CREATE OPERATOR CLASS public.ints FOR TYPE int USING btree AS OPERATOR 3 ops.===, FUNCTION 1 btint4cmp(int, int);
		ALTER TABLE t ADD CONSTRAINT excluded EXCLUDE USING btree (n public.ints WITH OPERATOR(ops.===))`)
	got := map[string][]string{}
	for _, x := range read(t, conn, catalog.Options{}).Objects.Indexes {
		got[x.Name] = x.Schemas
	}
	if diff := cmp.Diff(map[string][]string{"own": {}, "collated": {"side"}, "classed": {"side"}, "excluded": {"ops", "public"}}, got); diff != "" {
		t.Error(diff)
	}
}
