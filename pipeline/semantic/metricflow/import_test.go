package metricflow_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/semantic/metricflow"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// TestImport: what comes of a dbt project is a file without faults, of metrics that resolve; the rest
// is named with its reason.
func TestImport(t *testing.T) {
	data, err := os.ReadFile("testdata/shop.yml")
	if err != nil {
		t.Fatal(err)
	}
	text, notes, err := metricflow.Import([]metricflow.Source{{Name: "shop.yml", Text: data}}, "public")
	if err != nil {
		t.Fatal(err)
	}
	got := string(text) + "---\n"
	for _, n := range notes {
		got += n.String() + "\n"
	}
	const golden = "testdata/shop.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
	file, faults := configs.DecodeSemantic("semantic.yaml", text)
	if len(faults) > 0 {
		t.Fatalf("faults: %v", faults)
	}
	m, faults := semantic.Build(*file, warehouse())
	if len(faults) > 0 || len(m.Metrics) != len(file.Metrics) || len(m.Entities) != 3 {
		t.Errorf("%d of %d metrics, faults: %v", len(m.Metrics), len(file.Metrics), faults)
	}
}

// warehouse has the tables that the project is about.
func warehouse() *catalog.Snapshot {
	table := func(schema, name, key string, columns ...string) *catalog.Table {
		t := &catalog.Table{Name: catalog.Name{Schema: schema, Table: name}, Kind: catalog.KindTable, PrimaryKey: []string{key}}
		for _, c := range append(columns, key) {
			t.Columns = append(t.Columns, &catalog.Column{Name: c, Type: catalog.Type{OID: 23, Schema: "pg_catalog", Name: "int4", SQL: "integer", Category: 'N'}})
		}
		return t
	}
	return catalog.NewSnapshot("shop", 150000, []*catalog.Table{table("ledger", "balances", "account_id", "as_of", "balance"), table("public", "dim_customers", "id", "region"),
		table("public", "fct_orders", "order_id", "customer_id", "shop_id", "order_status", "ordered_at", "amount")}, nil)
}

func TestNotYAML(t *testing.T) {
	if _, _, err := metricflow.Import([]metricflow.Source{{Name: "a.yml", Text: []byte("metrics: {a")}}, "public"); err == nil || !strings.HasPrefix(err.Error(), "a.yml: ") {
		t.Errorf("%v", err)
	}
}

func FuzzImport(f *testing.F) {
	data, err := os.ReadFile("testdata/shop.yml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		text, _, err := metricflow.Import([]metricflow.Source{{Name: "a.yml", Text: data}}, "public")
		if err == nil {
			configs.DecodeSemantic("semantic.yaml", text)
		}
	})
}
