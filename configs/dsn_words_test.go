package configs

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/postgres"
)

func TestUnknownWordsOfDSN(t *testing.T) {
	for dsn, want := range map[string]string{
		"host=h passwrd=hunter2":                     "did you mean password?",
		"host=h Password=hunter2":                    "did you mean password?",
		"hots=h":                                     "did you mean host?",
		"host=h pwd=hunter2":                         "did you mean password?",
		"postgres://u@h/d?ssl=false":                 "did you mean sslmode?",
		"postgres://u@h/d?sslrootcrt=x":              "did you mean sslrootcert?",
		"postgres://u@h/d?currentSchema=s":           "did you mean search_path?",
		"postgres://u@h/d?aplication_name=x":         "did you mean application_name?",
		"postgres://u@h/d?pool_size=5":               "the database's pool",
		"host=h load_balance_hosts=random":           "load_balance_hosts is not supported",
		"host=h keepalives=1":                        "keepalives is not supported",
		"host=h application_name=a options=-cjit=on": "",
		"postgres://u@h/d?app.usr=1&TimeZone=UTC":    "",
		"postgres://u@h/d?sslmode=require&min_protocol_version=3.0&statement_timeout=1s&search_path=s": "",
	} {
		got := checkDSN(dsn)
		if want == "" && got != "" || !strings.Contains(got, want) || strings.Contains(got, "hunter2") {
			t.Errorf("%s: %q, want %q", dsn, got, want)
		}
	}
	// A password without its quotes becomes words; none of it is said.
	if got := checkDSN("host=h password=a sslmodes=b"); got == "" || strings.Contains(got, "sslmodes") {
		t.Errorf("%q", got)
	}
}

// TestSettingsOfDSN: what Postgres takes as a setting of a session is never a
// fault.
func TestSettingsOfDSN(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), postgres.ForTest(t).DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), "SELECT name FROM pg_settings WHERE context IN ('user', 'superuser', 'backend', 'superuser-backend')")
	if err != nil {
		t.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(names) < 100 {
		t.Fatalf("%d settings, %v", len(names), err)
	}
	for _, name := range names {
		if fault := wordsFault(map[string]string{name: ""}); fault != "" {
			t.Errorf("%s: %s", name, fault)
		}
	}
}
