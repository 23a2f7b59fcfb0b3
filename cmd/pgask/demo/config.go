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

// settings are what the demo puts in the sample files in place of what they
// say.
type settings struct {
	listen, http, dsn, password, today string
}

// writeConfig writes the sample files with a certificate beside them and
// returns the path of pgask.yaml.
func writeConfig(dir string, s settings) (string, error) {
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
func (s settings) apply(name, text string) (string, error) {
	for _, change := range s.changes()[name] {
		if !strings.Contains(text, change[0]) {
			return "", fmt.Errorf("configs/demo/%s: no %q to replace", name, change[0])
		}
		text = strings.ReplaceAll(text, change[0], change[1])
	}
	return text, nil
}

func (s settings) changes() map[string][][2]string {
	pgask := [][2]string{
		{"listen: 127.0.0.1:6432", "listen: " + quote(s.listen)},
		{"http: 127.0.0.1:9432", "http: " + quote(s.http)},
		{"tls: {mode: disable}", "tls: {mode: prefer, cert: server.crt, key: server.key}"},
		{"dsn: postgres://pgask:demo-only@127.0.0.1:5432/acme?sslmode=prefer", "dsn: " + quote(s.dsn)},
	}
	if s.today != "" {
		pgask = append(pgask, [2]string{"cache: true}", "cache: true, today: " + quote(s.today) + "}"})
	}
	return map[string][][2]string{
		"pgask.yaml":  pgask,
		"policy.yaml": {{"password: demo-only", "password: " + quote(s.password)}},
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
