package foreign_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/semantic/cube"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/semantic/metricflow"
	"github.com/pgask/pgask/pipeline/semantic/snowflake"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func formats() []foreign.Format {
	return []foreign.Format{snowflake.Format(), cube.Format(), metricflow.Format()}
}

// TestImport: what comes of a file is without faults, and everything in it resolves; the rest
// is named with its reason.
func TestImport(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			r, err := foreign.Import(formats(), []foreign.Source{{Name: filepath.Base(name), Text: data}}, "public")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(name, ".yml")+".golden", r)
			resolves(t, r)
		})
	}
}

func golden(t *testing.T, name string, r *foreign.Result) {
	t.Helper()
	got := string(r.Semantic) + "---\n" + string(r.Curated) + "---\n"
	for _, n := range r.Notes {
		got += n.String() + "\n"
	}
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func resolves(t *testing.T, r *foreign.Result) {
	t.Helper()
	file, faults := configs.DecodeSemantic("semantic.yaml", r.Semantic)
	if len(faults) > 0 {
		t.Fatalf("faults: %v", faults)
	}
	m, faults := semantic.Build(*file, warehouse())
	if len(faults) > 0 || len(m.Metrics) != len(file.Metrics) || len(m.Dimensions) != len(file.Dimensions) || len(m.Entities) != len(file.Entities) {
		t.Errorf("%d of %d metrics, %d of %d dimensions, faults: %v", len(m.Metrics), len(file.Metrics), len(m.Dimensions), len(file.Dimensions), faults)
	}
	curated, faults := configs.DecodeCurated("curated.yaml", r.Curated)
	if _, more := planner.NewCurated(curated.Queries, configs.CuratedSettings{}); len(faults)+len(more) > 0 {
		t.Errorf("curated: %v %v", faults, more)
	}
}

// warehouse has the tables that the files are about.
func warehouse() *catalog.Snapshot {
	table := func(schema, name, key string, columns ...string) *catalog.Table {
		t := &catalog.Table{Name: catalog.Name{Schema: schema, Table: name}, Kind: catalog.KindTable, PrimaryKey: []string{key}}
		for _, c := range append(columns, key) {
			column := &catalog.Column{Name: c, Type: catalog.Type{OID: 23, Schema: "pg_catalog", Name: "int4", SQL: "integer", Category: 'N'}}
			if c == "ordered_at" || c == "as_of" {
				column.Type = catalog.Type{OID: 1082, Schema: "pg_catalog", Name: "date", SQL: "date", Category: 'D'}
			}
			t.Columns = append(t.Columns, column)
		}
		return t
	}
	return catalog.NewSnapshot("shop", 150000, []*catalog.Table{table("ledger", "balances", "account_id", "as_of", "balance"), table("public", "balances", "account_id", "as_of", "balance"), table("public", "dim_customers", "id", "region"),
		table("public", "fct_orders", "order_id", "customer_id", "shop_id", "order_status", "ordered_at", "amount")}, nil)
}

// TestUnreadable: what can't be read at all is an error that says where.
func TestUnreadable(t *testing.T) {
	for text, want := range map[string]string{
		"metrics: {a": "a.yml: ",
		"cubes:\n{% for c in all %}\n  - name: {{ c }}": "a.yml:2: a template stands here",
		"version: 2\n":                           "no semantic model is in these files",
		"":                                       "no semantic model is in these files",
		"cubes: {name: x}":                       "a.yml: ",
		"tables: [" + strings.Repeat("[", 20000): "a.yml: ",
		bomb():                                   "a.yml: yaml: document contains excessive aliasing",
		"cubes: []\n#" + strings.Repeat("x", 9<<20): "a.yml: the file is larger than 8 MiB",
	} {
		_, err := foreign.Import(formats(), []foreign.Source{{Name: "a.yml", Text: []byte(text)}}, "public")
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

// TestDeep: definitions within definitions cost no more than they are long, and say where they end.
func TestDeep(t *testing.T) {
	var cubes, tables strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&cubes, "      - {name: d%d, sql: 'upper({d%d})', type: string}\n", i, i+1)
		fmt.Fprintf(&tables, "      - {name: d%d, expr: d%d || d%d}\n", i, i+1, i+1)
	}
	for text, want := range map[string]string{
		"cubes:\n  - name: c\n    sql_table: t\n    dimensions:\n" + cubes.String():             "it is made of more than 20 others, one within another",
		"tables:\n  - name: t\n    base_table: {table: t}\n    dimensions:\n" + tables.String(): "it names too much that is made of other things",
	} {
		r, err := foreign.Import(formats(), []foreign.Source{{Name: "a.yml", Text: []byte(text)}}, "public")
		if err != nil || len(r.Notes) < 1900 || r.Notes[0].Why != want {
			t.Errorf("%v: %d notes, %v, want %s", err, len(r.Notes), r.Notes[0], want)
		}
	}
}

// bomb is a short text whose aliases stand for millions of measures.
func bomb() string {
	s := "x: &a [" + strings.Repeat("{name: m, sql: a, type: sum}, ", 1000) + "]\ncubes:\n"
	return s + strings.Repeat("  - {name: c, sql_table: t, measures: *a}\n", 5000)
}

func FuzzImport(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := foreign.Import(formats(), []foreign.Source{{Name: "a.yml", Text: data}}, "public")
		if err != nil {
			return
		}
		// What comes out is sound whatever goes in, but for what names were made of.
		if _, faults := configs.DecodeSemantic("semantic.yaml", r.Semantic); len(faults) > 0 {
			t.Errorf("%s\n%v", r.Semantic, faults)
		}
		if c, faults := configs.DecodeCurated("curated.yaml", r.Curated); len(faults) > 0 {
			t.Errorf("%s\n%v", r.Curated, faults)
		} else if _, faults := planner.NewCurated(c.Queries, configs.CuratedSettings{}); len(faults) > 0 {
			t.Errorf("%s\n%v", r.Curated, faults)
		}
	})
}
