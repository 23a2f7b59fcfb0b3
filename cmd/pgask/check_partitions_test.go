package main

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/policy"
)

const partitionsSchema = `
CREATE TABLE firms (id int PRIMARY KEY, tenant_id int);
CREATE TABLE deals (id int PRIMARY KEY, firm_id int REFERENCES firms, tenant bigint);
CREATE TABLE notes (id int PRIMARY KEY, deal_id int REFERENCES deals, tenant_id int);
INSERT INTO firms VALUES (1, 1), (2, 2), (3, NULL);
INSERT INTO deals VALUES (1, 1, 1), (2, 2, 2), (3, 3, NULL), (4, NULL, 7);
INSERT INTO notes VALUES (1, 1, 5)`

const partitionsPolicy = `
version: 1
roles:
  r:
    tables: {allow: ["public.*"]}
    scopes:
      - {table: public.firms, where: "tenant_id = :t", partition: tenant_id}
      - {table: public.deals, where: "tenant = :t", partition: tenant}
      - {table: public.notes, where: "tenant_id = :other", partition: tenant_id}
`

// TestCheckPartitions holds that rows which belie the policy are faults, and that
// nothing is said to be in order that can't be seen.
func TestCheckPartitions(t *testing.T) {
	server := postgres.ForTest(t)
	name := server.CreateDatabase(t)
	conn, err := pgx.Connect(t.Context(), server.DSN(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	reader := "reader_" + name
	run := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%v: %s", err, sql)
		}
	}
	run(partitionsSchema)
	run("CREATE ROLE " + reader + " LOGIN PASSWORD 'x'; GRANT SELECT ON firms TO " + reader)
	t.Cleanup(func() { _, _ = conn.Exec(context.Background(), "DROP OWNED BY "+reader+"; DROP ROLE "+reader) })
	snap, err := catalog.Read(t.Context(), conn, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, faults := configs.DecodePolicy("policy.yaml", []byte(partitionsPolicy))
	p, more := policy.Compile(file)
	if p == nil || len(faults) > 0 {
		t.Fatal(faults, more)
	}
	model, _ := semantic.Build(configs.Semantic{}, snap)
	check := func(dsn string) []configs.Fault {
		return checkPartitions(t.Context(), &configs.Database{Name: "d", DSN: dsn}, p, snap, model)
	}
	if got := check(server.DSN(name)); len(got) > 0 {
		t.Errorf("all is as the policy says: %v", got)
	}
	run("UPDATE deals SET tenant = NULL WHERE id = 1; UPDATE deals SET tenant = 1 WHERE id IN (2, 3)")
	const what = "rows of public.deals have the tenant_id in tenant of the row of public.firms that they refer to (deals_firm_id_fkey)"
	got := check(server.DSN(name))
	if len(got) != 1 || got[0].Warning || got[0].Key != "roles.r.scopes[1].partition" || got[0].Pos.Line != 8 || !strings.Contains(got[0].Msg, what+", 3 rows not") {
		t.Errorf("three rows belie the policy: %v", got)
	}
	blind := func(why string) {
		t.Helper()
		got := check(server.UserDSN(name, reader, "x"))
		if len(got) != 1 || !got[0].Warning || !strings.Contains(got[0].Msg, "whether "+what+" isn't known") || !strings.Contains(got[0].Msg, why) {
			t.Errorf("%s: %v", why, got)
		}
	}
	blind("permission denied for table deals")
	run("GRANT SELECT ON deals TO " + reader + "; ALTER TABLE deals ENABLE ROW LEVEL SECURITY; CREATE POLICY all_rows ON deals USING (true)")
	blind("row-level security policy")
}
