package transaction_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy/transaction"
	"github.com/pgask/pgask/proxy/wire"
)

// settings are all that may be restored.
var settings = strings.Fields(status[18])

// TestRestore sets odd values in one session, and wants another one, that has
// odd ones of its own, to have the same after what AppendRestore says.
func TestRestore(t *testing.T) {
	server := postgres.ForTest(t)
	database := server.CreateDatabase(t)
	start := dial(t, server, database)
	for _, test := range []struct{ name, client, backend string }{
		{"nothing", "", ""},
		{"back to the defaults", "", `SET application_name = 'x'; SET TimeZone = 'Asia/Kolkata'; SET search_path = a, b`},
		{"quotes", `SET application_name = 'it''s "quoted" \ and $1 %s; --'`, ""},
		{"escapes", `SET application_name = E'\\''\t\n'`, `SET standard_conforming_strings = off`},
		{"strings of old", `SET standard_conforming_strings = off; SET application_name = '\\'''`, ""},
		{"unicode", `SET application_name = 'é€😀'`, ""},
		{"empty", `SET application_name = ''; SET search_path = ''`, `SET application_name = 'b'; SET search_path = a`},
		{"paths", `SET search_path = "$user", public, "A b", "o'k", "quo""te", "back\slash", pg_catalog`, ""},
		{"one name with a comma", `SET search_path = "a, b"`, `SET search_path = a, b`},
		{"dates", `SET DateStyle = German; SET IntervalStyle = iso_8601`, `SET DateStyle = 'SQL, DMY'`},
		{"zones", `SET TimeZone = '<+0330>-03:30'`, `SET TIME ZONE INTERVAL '-08:00' HOUR TO MINUTE`},
		{"read only", `SET default_transaction_read_only = on; SET TimeZone = 'UTC'`, ""},
		{"read only backend", ``, `SET default_transaction_read_only = on`},
		{"encoding", `SET client_encoding = LATIN1`, ``},
		{"other encoding", ``, `SET client_encoding = LATIN1`},
		{"unicode path", `SET search_path = "schéma", public`, ``},
		{"unicode path, then another encoding", `SET search_path = "schéma"; SET client_encoding = LATIN1`, `SET client_encoding = WIN1252`},
		{"another encoding, then a path", "SET client_encoding = LATIN1; SET search_path = \"sch\xe9ma\"", `SET search_path = "schéma"`},
		{"a path that reads the same", "SET client_encoding = LATIN1; SET search_path = \"sch\xc3\xa9ma\"", `SET search_path = "schéma"`},
		{"everything", `SET application_name = a; SET client_encoding = LATIN1; SET DateStyle = German; SET default_transaction_read_only = on; SET IntervalStyle = sql_standard;
			SET search_path = a; SET standard_conforming_strings = off; SET TimeZone = 'Asia/Tokyo'`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, backend := dial(t, server, database), dial(t, server, database)
			client.values, backend.values = start.values, start.values
			client.change(test.client)
			backend.change(test.backend)
			frames, err := transaction.AppendRestore([]byte{}, &client.values, &backend.values)
			if err != nil {
				t.Fatal(err)
			}
			if len(frames) > 0 {
				if _, failure := backend.send(frames); failure != "" {
					t.Fatal(failure)
				}
			}
			compare(t, client, backend)
		})
	}
}

// change runs the settings one by one. Where the server doesn't report
// search_path, being older than 18, it is noted as if it did.
func (s *session) change(texts string) {
	s.t.Helper()
	s.values.Note("search_path", s.must("SHOW search_path")[0])
	for text := range strings.SplitSeq(texts, "; SET ") {
		if text == "" {
			continue
		}
		s.must("SET " + strings.TrimPrefix(text, "SET "))
		if strings.Contains(text, "search_path") {
			s.values.Note("search_path", s.must("SHOW search_path")[0])
		}
	}
}

// compare wants both sessions to have the same settings, and nothing left to
// be restored.
func compare(t *testing.T, client, backend *session) {
	t.Helper()
	for _, name := range settings {
		var one transaction.Values
		if one.Note(name, ""); client.values.Reported()&one.Reported() == 0 {
			continue // an older server
		}
		want, got := client.must("SHOW "+name), backend.must("SHOW "+name)
		if got[0] != want[0] {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	backend.values.Note("search_path", backend.must("SHOW search_path")[0])
	client.values.Note("search_path", client.must("SHOW search_path")[0])
	if again, err := transaction.AppendRestore(nil, &client.values, &backend.values); err != nil || len(again) > 0 {
		t.Errorf("still to be restored: %q, %v", again, err)
	}
}

// TestReportedSettings wants everything that the server reports to be known:
// as a setting to be restored, or as one that can't be set.
func TestReportedSettings(t *testing.T) {
	server := postgres.ForTest(t)
	s := dial(t, server, server.CreateDatabase(t))
	fixed := []string{"server_version", "server_encoding", "integer_datetimes", "is_superuser", "in_hot_standby", "session_authorization"}
	for name, value := range s.greeting {
		var one transaction.Values
		one.Note(name, value)
		if known := one.Reported() != 0; known == slices.Contains(fixed, name) {
			t.Errorf("%s: to be restored: %v", name, known)
		}
		if known := one.Reported(); s.values.Reported()&known != known {
			t.Errorf("%s is not noted", name)
		}
	}
}

// TestRestoreFailure: one batch sets all or nothing.
func TestRestoreFailure(t *testing.T) {
	server := postgres.ForTest(t)
	s := dial(t, server, server.CreateDatabase(t))
	client := s.values
	client.Note("application_name", "changed")
	client.Note("TimeZone", "Nowhere/None")
	frames, err := transaction.AppendRestore(nil, &client, &s.values)
	if err != nil {
		t.Fatal(err)
	}
	if _, failure := s.send(frames); failure == "" {
		t.Error("a time zone that doesn't exist was set")
	}
	if got := s.must("SHOW application_name")[0]; got == "changed" {
		t.Error("half of it was set")
	}
}

// TestRestoreUnknown leaves alone what either side doesn't know, and what can't
// be set.
func TestRestoreUnknown(t *testing.T) {
	var client, backend transaction.Values
	client.Note("TimeZone", "UTC")
	backend.Note("DateStyle", "ISO, MDY")
	for _, name := range []string{"server_version", "is_superuser", "session_authorization", "in_hot_standby"} {
		client.Note(name, "a")
		backend.Note(name, "b")
	}
	if frames, err := transaction.AppendRestore(nil, &client, &backend); err != nil || len(frames) > 0 {
		t.Errorf("%q, %v", frames, err)
	}
	backend.Note("TimeZone", "a")
	client.Note("TimeZone", "a\x00b")
	if frames, err := transaction.AppendRestore([]byte("before"), &client, &backend); !errors.Is(err, wire.ErrUnfit) || string(frames) != "before" {
		t.Errorf("%q, %v", frames, err)
	}
}

// TestGreeting: it doesn't matter in which order a greeting comes.
func TestGreeting(t *testing.T) {
	var a, b transaction.Values
	a.Note("search_path", "sch\xe9ma")
	a.Note("client_encoding", "LATIN1")
	b.Note("client_encoding", "LATIN1")
	b.Note("search_path", "sch\xe9ma")
	if a != b {
		t.Errorf("%v, %v", a, b)
	}
}

func BenchmarkRestoreNothing(b *testing.B) {
	var client, backend transaction.Values
	for _, name := range settings {
		client.Note(name, "some value of "+name)
		backend.Note(name, "some value of "+name)
	}
	b.ReportAllocs()
	for b.Loop() {
		if frames, err := transaction.AppendRestore(nil, &client, &backend); err != nil || len(frames) > 0 {
			b.Fatal(frames, err)
		}
	}
}
