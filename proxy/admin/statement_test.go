package admin

import (
	"strings"
	"testing"
)

// FuzzSplit: whatever is sent, bare words hold no blank, quote or semicolon,
// nothing is in upper case, and no statement is empty.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{"SHOW POOLS; pause \"A b\"", "-- x\n/* y */ kill_client 7", "select*from 'it''s'", "/*", "\"", ";;"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		statements, err := split(text)
		if err != nil && statements != nil {
			t.Errorf("%q: both %v and %v", text, statements, err)
		}
		for _, s := range statements {
			if len(s) == 0 {
				t.Errorf("%q: an empty statement", text)
			}
			for _, w := range s {
				if !w.quoted && (w.text == "" || strings.ContainsAny(w.text, " \t\r\n;\"'") || strings.ToLower(w.text) != w.text) {
					t.Errorf("%q: word %q", text, w.text)
				}
			}
		}
	})
}

func TestSplit(t *testing.T) {
	for text, want := range map[string]string{
		"SHOW  Pools":                          "show pools",
		"PAUSE \"My \"\"db\"\"\" ; RESUME":     `pause My "db"|resume`,
		"/* a; */ SELECT*FROM--\n pools;;":     "select * from pools",
		"set x='a;b'":                          "set x = a;b",
		"-- nothing":                           "",
		"/* without an end; RELOAD":            "",
		"KILL_CLIENT 5;KILL_CLIENT\u00a06; \f": "kill_client 5|kill_client\u00a06",
	} {
		statements, err := split(text)
		var got []string
		for _, s := range statements {
			got = append(got, s.String())
		}
		if strings.Join(got, "|") != want || err != nil {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
}
