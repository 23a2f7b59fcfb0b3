package configs

import (
	"strings"
	"testing"
)

// TestSettings wants every key shown and no secret.
func TestSettings(t *testing.T) {
	const file = `
llm: {base_url: "https://me:s3cret@api.example.com/v1", api_key: s3cret, model: m, routing: {planner: p}}
index: {dsn: "postgres://x:s3cret@localhost/x"}
cluster: {peers: {7: "10.0.0.7:6433"}}
hooks: {sql_before: ["https://me:s3cret@hooks.example.com"]}
databases:
  acme: {dsn: "host=localhost password=s3cret", pool: {size: 7}}
`
	c, _ := decodeAlone("pgask.yaml", []byte(file))
	shown := map[string]string{}
	for _, s := range c.Settings() {
		if strings.Contains(s.Value, "s3cret") {
			t.Errorf("%s shows %s", s.Key, s.Value)
		}
		shown[s.Key] = s.Value
	}
	for key := range settings(&Config{}) {
		if _, ok := shown[key]; !ok && !strings.HasPrefix(key, "llm.routing.") {
			t.Errorf("%s isn't shown", key)
		}
	}
	for key, want := range map[string]string{"limits.drain": "30s", "databases.acme.dsn": "(hidden)", "databases.acme.pool.size": "7",
		"planner.order": "curated, cache, builtin, model", "cluster.peers.7": "10.0.0.7:6433", "llm.routing.planner": "p", "limits.statement_bytes": "1048576",
		"llm.base_url": "https://me:xxxxx@api.example.com/v1", "llm.api_key": "(hidden)", "http": "127.0.0.1:9432"} {
		if shown[key] != want {
			t.Errorf("%s is %q, want %q", key, shown[key], want)
		}
	}
}

// TestChanged: secrets, entries that came or went and lists are seen; where in
// the file something stands isn't.
func TestChanged(t *testing.T) {
	before, _ := decodeAlone("pgask.yaml", []byte("databases:\n  a: {dsn: host=h password=x}\n  b: {dsn: host=h}\nplanner: {order: [curated]}\n"))
	after, _ := decodeAlone("pgask.yaml", []byte("planner: {order: [builtin]}\n\n\ndatabases:\n  a: {dsn: host=h password=y}\n  b: {dsn: host=h}\n  c: {dsn: host=h}\n"))
	const pool = "c.pool.idle databases.c.pool.lifetime databases.c.pool.min databases.c.pool.mode databases.c.pool.prepared databases.c.pool.size databases.c.pool.wait"
	want := "databases.a.dsn databases.c.dsn databases." + pool + " planner.order"
	if got := strings.Join(after.Changed(before), " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := strings.Join(before.Changed(after), " "); got != want {
		t.Errorf("the other way round: got %s, want %s", got, want)
	}
}
