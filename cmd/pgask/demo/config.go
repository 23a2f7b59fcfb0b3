package demo

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	sample "github.com/pgask/pgask/configs/demo"
	"github.com/pgask/pgask/integration/postgres"
)

// Settings are what the demo puts in the sample files in place of what they
// say.
type Settings struct {
	Listen   string // address for clients
	HTTP     string // address for metrics
	DSN      string // of pgask's own login
	Password string // of the logins of the roles
	Today    string // reference date; empty is the database's
}

// WriteConfig writes the sample files with a certificate beside them and
// returns the path of pgask.yaml.
func WriteConfig(dir string, s Settings) (string, error) {
	cert, key, err := postgres.Certificate()
	if err != nil {
		return "", err
	}
	files := map[string][]byte{"server.crt": cert, "server.key": key}
	names, err := fs.Glob(sample.Files, "*.yaml")
	if err != nil {
		return "", err
	}
	for _, name := range names {
		text, err := fs.ReadFile(sample.Files, name)
		if err != nil {
			return "", err
		}
		changed, err := s.apply(name, string(text))
		if err != nil {
			return "", err
		}
		files[name] = []byte(changed)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "pgask.yaml"), nil
}

// apply replaces, in the text of one file, the lines that the sample files keep
// for this. One that isn't there is an error: the files and this list must
// agree.
func (s Settings) apply(name, text string) (string, error) {
	for _, change := range s.changes()[name] {
		if !strings.Contains(text, change[0]) {
			return "", fmt.Errorf("configs/demo/%s: no %q to replace", name, change[0])
		}
		text = strings.ReplaceAll(text, change[0], change[1])
	}
	return text, nil
}

func (s Settings) changes() map[string][][2]string {
	pgask := [][2]string{
		{"listen: 127.0.0.1:6432", "listen: " + quote(s.Listen)},
		{"http: 127.0.0.1:9432", "http: " + quote(s.HTTP)},
		{"tls: {mode: disable}", "tls: {mode: prefer, cert: server.crt, key: server.key}"},
		{"dsn: postgres://pgask:demo-only@127.0.0.1:5432/acme?sslmode=prefer", "dsn: " + quote(s.DSN)},
	}
	if s.Today != "" {
		pgask = append(pgask, [2]string{"cache: true}", "cache: true, today: " + quote(s.Today) + "}"})
	}
	return map[string][][2]string{
		"pgask.yaml":  pgask,
		"policy.yaml": {{"password: demo-only", "password: " + quote(s.Password)}},
	}
}

// quote makes a YAML string of any text: JSON's strings are YAML's too.
func quote(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can always be encoded
	return strings.TrimSpace(b.String())
}
