package integration

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// companyInSnowflake is the sample company as a semantic model of Snowflake's.
const companyInSnowflake = `
name: company
tables:
  - name: SALES
    synonyms: [deals]
    base_table: {database: ACME, schema: PUBLIC, table: ORDERS}
    primary_key: {columns: [ID]}
    dimensions:
      - {name: OUTCOME, expr: STATUS, data_type: VARCHAR, synonyms: [result]}
      - {name: PROGRESS, expr: "IFF(STATUS = 'completed', 'finished', 'open')", data_type: VARCHAR}
    time_dimensions: [{name: ORDERED, expr: ORDERED_AT, data_type: TIMESTAMP_TZ}]
    metrics:
      - {name: SALE_COUNT, synonyms: [number of deals], expr: COUNT(*)}
      - {name: WON_COUNT, synonyms: [won deals], expr: COUNT_IF(OUTCOME = 'completed')}
      - {name: WIN_RATE, expr: "WON_COUNT / NULLIF(SALE_COUNT, 0)"}
      - {name: BUYING_DAYS, expr: "COUNT(DISTINCT TO_CHAR(ORDERED, 'YYYY-MM-DD'))"}
  - name: ACCOUNTS
    base_table: {database: ACME, schema: PUBLIC, table: ACCOUNTS}
    dimensions: [{name: TERRITORY, expr: REGION, data_type: VARCHAR}]
    metrics: [{name: ACCOUNT_COUNT, expr: COUNT(*)}]
  - name: RECURRING
    base_table: {database: ACME, schema: PUBLIC, table: MONTHLY_ACCOUNT_ARR}
    time_dimensions: [{name: MONTH, expr: MONTH, data_type: DATE}]
    metrics:
      - {name: CONTRACTS, synonyms: [contract value], expr: SUM(ARR), non_additive_dimensions: [{table: RECURRING, dimension: MONTH}]}
relationships:
  - {name: recurring_accounts, left_table: RECURRING, right_table: ACCOUNTS, relationship_columns: [{left_column: ACCOUNT_ID, right_column: ID}]}
  - {name: sales_accounts, left_table: SALES, right_table: ACCOUNTS, relationship_columns: [{left_column: ACCOUNT_ID, right_column: ID}]}
metrics:
  - {name: AVERAGE_CONTRACT, expr: RECURRING.CONTRACTS / ACCOUNTS.ACCOUNT_COUNT}
verified_queries:
  - name: outcomes
    question: How do deals end?
    sql: SELECT progress, COUNT(*) AS deals FROM __SALES GROUP BY 1 ORDER BY 1
`

// TestImported: a semantic model of another tool, taken over by one command, has no fault and
// answers questions as its tool would.
func TestImported(t *testing.T) {
	f := unstarted(t, func(text string) string { return text })
	dir := filepath.Dir(f.Config)
	model := filepath.Join(t.TempDir(), "company.yaml")
	if err := os.WriteFile(model, []byte(companyInSnowflake), 0o600); err != nil {
		t.Fatal(err)
	}
	var notes bytes.Buffer
	cmd := exec.Command(program(), "semantic", "import", "--curated", filepath.Join(dir, "curated.yaml"), model)
	cmd.Stderr = &notes
	out, err := cmd.Output()
	if err != nil || notes.Len() > 0 {
		t.Fatalf("%v: %s", err, notes.String())
	}
	edit(t, filepath.Join(dir, "semantic.yaml"), func(string) string { return string(out) })
	if out, err := f.command("check", "--offline=false"); err != nil || strings.Contains(out, "semantic.yaml") || strings.Contains(out, "curated.yaml") {
		t.Fatalf("check: %v\n%s", err, out)
	}
	f.launch(t)
	t.Cleanup(func() { f.halt(t) })
	const own = "FROM orders o JOIN accounts a ON a.id = o.account_id WHERE o.tenant_id = 1"
	ana, direct := f.Connect(t, "ana"), f.Direct(t)
	for question, want := range map[string]string{
		"number of deals by territory": "SELECT a.region, count(*) " + own + " GROUP BY 1 ORDER BY 1",
		"win rate by territory":        "SELECT a.region, (count(*) FILTER (WHERE o.status = 'completed'))::numeric / count(*) " + own + " GROUP BY 1 ORDER BY 1",
		"contract value":               "SELECT sum(arr) FROM monthly_account_arr m JOIN accounts a ON a.id = m.account_id WHERE tenant_id = 1 AND month = (SELECT max(month) FROM monthly_account_arr)",
		"sale count by progress":       "SELECT CASE WHEN status = 'completed' THEN 'finished' ELSE 'open' END, count(*) " + own + " GROUP BY 1 ORDER BY 1",
		"buying days":                  "SELECT count(DISTINCT to_char(ordered_at, 'YYYY-MM-DD')) " + own,
		"How do deals end?":            "SELECT CASE WHEN status = 'completed' THEN 'finished' ELSE 'open' END, count(*) " + own + " GROUP BY 1 ORDER BY 1",
	} {
		got, err := tryTable(ana, fmt.Sprintf("ASK '%s'", question))
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		slices.Sort(got)
		if want := table(t, direct, want); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", question, got, want)
		}
	}
}
