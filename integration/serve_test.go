package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// serveFiles runs a pgask with these files until the test ends; settings are what
// its pgask.yaml says besides addresses, without TLS.
func serveFiles(t *testing.T, settings string, files map[string]string) *proxy {
	t.Helper()
	dir, listen := t.TempDir(), freeAddress()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, text := range files {
		write(name, text)
	}
	p, err := startServe(write("pgask.yaml", fmt.Sprintf("listen: %s\nhttp: %s\ntls: {mode: disable}\n%s", listen, freeAddress(), settings)), listen)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}
