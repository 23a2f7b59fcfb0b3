package policy_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/policy"
)

func TestCheckStartup(t *testing.T) {
	role := &policy.Role{SearchPath: []string{"public"}, Limits: configs.RoleLimits{StatementTimeout: 30 * time.Second}}
	for _, c := range []struct {
		name     string
		in, want map[string]string // want nil: refused
	}{
		{"driver", map[string]string{"user": "ana", "database": "acme", "client_encoding": "UTF8", "DateStyle": "ISO", "extra_float_digits": "2", "TimeZone": "Europe/Berlin"},
			map[string]string{"datestyle": "ISO", "extra_float_digits": "2", "timezone": "Europe/Berlin"}},
		{"options", map[string]string{"options": `-c statement_timeout=5s -cgeqo=off`}, nil},
		{"shorter", map[string]string{"options": `-c statement_timeout=5s --application-name=a\ b`}, map[string]string{"statement_timeout": "5s", "application_name": "a b"}},
		{"longer", map[string]string{"statement_timeout": "0"}, nil},
		{"search_path", map[string]string{"search_path": "archive"}, nil},
		{"same search_path", map[string]string{"search_path": "public"}, map[string]string{}},
		{"encoding", map[string]string{"client_encoding": "LATIN1"}, nil},
		{"asyncpg", map[string]string{"user": "ana", "database": "acme", "client_encoding": "'utf-8'"}, map[string]string{}},
		{"quoted encoding", map[string]string{"client_encoding": "'latin1'"}, nil},
		{"strings", map[string]string{"options": "-c standard_conforming_strings=off"}, nil},
		{"read only", map[string]string{"default_transaction_read_only": "off"}, nil},
		{"role", map[string]string{"role": "postgres"}, nil},
		{"row security", map[string]string{"options": "-c row_security=off"}, nil},
		{"server option", map[string]string{"options": "-B 100"}, nil},
		{"no value", map[string]string{"options": "-c geqo"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := policy.CheckStartup(c.in, role)
			if c.want == nil {
				if err == nil {
					t.Error(got)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Error(got, err)
			}
		})
	}
}

// TestStartupWords: the words of the start-up packet that are no settings are
// themselves in one case only. Postgres 15 answers the same.
func TestStartupWords(t *testing.T) {
	role := &policy.Role{SearchPath: []string{"public"}}
	for _, word := range []string{"Replication", "REPLICATION", "User", "Database", "Options"} {
		_, err := policy.CheckStartup(map[string]string{"user": "ana", word: "true"}, role)
		coded, ok := err.(interface{ SQLState() string })
		if !ok || coded.SQLState() != "42704" || err.Error() != `unrecognized configuration parameter "`+word+`"` {
			t.Errorf("%s: %v", word, err)
		}
	}
	for word, want := range map[string]bool{"replication": true, "_pq_.x": true, "_PQ_.x": false} {
		if _, err := policy.CheckStartup(map[string]string{word: "true"}, role); (err == nil) != want {
			t.Errorf("%s: %v", word, err)
		}
	}
}

// TestPinnedSurviveDiscard: what is pinned by start-up parameters is what
// RESET and DISCARD ALL come back to.
func TestPinnedSurviveDiscard(t *testing.T) {
	o := newOracle(t)
	for _, reset := range []string{"SET search_path = public; DISCARD ALL", "SET search_path = public; RESET ALL", "SET statement_timeout = 0; DISCARD ALL"} {
		for _, sql := range strings.Split(reset, "; ") {
			if _, err := rows(o.reader, sql); err != nil {
				t.Fatal(err)
			}
		}
		for name, want := range policy.Pinned(rlsRole(t)) {
			got, err := rows(o.reader, "SELECT setting FROM pg_settings WHERE name = '"+name+"'")
			if err != nil || len(got) != 2 || got[1] != `["`+want+`"]` {
				t.Errorf("after %s: %s is %v, want %q", reset, name, got, want)
			}
		}
	}
}
