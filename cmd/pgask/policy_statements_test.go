package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pgask/pgask/configs"
)

// The audit log's statements are those of all its files, oldest first, each once.
func TestStatementsOfRotatedLogs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	line := func(user, text string) string {
		return `{"user":"` + user + `","database":"acme","text":"` + text + "\"}\n"
	}
	all := &configs.All{Config: &configs.Config{Audit: configs.Audit{Path: path, Text: "full"}}, Curated: &configs.Curated{}}
	if list, err := statementsToCompare(all, ""); err != nil || list != nil {
		t.Errorf("without a log: %v %v", list, err)
	}
	for name, text := range map[string]string{
		"audit-20261129T180000.000Z.jsonl": line("ana", "SELECT 1") + line("ben", "SELECT 1"),
		"audit-20261130T180000.000Z.jsonl": line("ana", "SELECT 1") + line("ana", "SELECT 2") + "\n" + `{"event":"closed"}` + "\n",
		"audit.jsonl":                      line("ana", "SELECT 2") + line("ana", "SELECT 3"),
		"audit-of-another.jsonl":           line("ana", "SELECT 4"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := statementsToCompare(all, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.user+" "+s.text+" "+filepath.Base(s.from))
	}
	want := []string{"ana SELECT 1 audit-20261129T180000.000Z.jsonl:1", "ben SELECT 1 audit-20261129T180000.000Z.jsonl:2",
		"ana SELECT 2 audit-20261130T180000.000Z.jsonl:2", "ana SELECT 3 audit.jsonl:2"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if list, err := statementsToCompare(all, path); err != nil || len(list) != 2 {
		t.Errorf("of the one file that was named: %v %v", list, err)
	}
	all.Config.Audit.Text = "fingerprint"
	if list, err := statementsToCompare(all, ""); err != nil || list != nil {
		t.Errorf("of a log without texts: %v %v", list, err)
	}
}
