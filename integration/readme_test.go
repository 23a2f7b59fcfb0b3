package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeFiles: the files with which README.md has people begin are in order.
func TestReadmeFiles(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	blocks := regexp.MustCompile("(?s)```yaml\n# (\\w+\\.yaml)[^\n]*\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	for _, b := range blocks {
		content := strings.ReplaceAll(b[2], "SCRAM-SHA-256$4096:…", verifier(t))
		if err := os.WriteFile(filepath.Join(dir, b[1]), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program(), "check", "--offline", "--config", filepath.Join(dir, "pgask.yaml"))
	cmd.Env = append(os.Environ(), "SHOP_PASSWORD=secret")
	if out, err := cmd.CombinedOutput(); err != nil || len(blocks) != 4 || !strings.Contains(string(out), "0 faults, 0 warnings") {
		t.Errorf("%d files: %v\n%s", len(blocks), err, out)
	}
}
