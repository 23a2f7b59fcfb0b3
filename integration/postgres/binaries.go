package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// binaries finds the folder that holds postgres and initdb, and, where there is
// none, gets one.
func binaries(ctx context.Context, log io.Writer) (string, error) {
	if dir := os.Getenv("PGASK_PG_BIN"); dir != "" {
		if !complete(dir) {
			return "", fmt.Errorf("PGASK_PG_BIN: %s holds no postgres and initdb", dir)
		}
		return dir, nil
	}
	if dir := installed(ctx); dir != "" {
		return dir, nil
	}
	err := install(ctx, log)
	if dir := installed(ctx); dir != "" {
		return dir, nil
	}
	dir, embeddedErr := embedded(log)
	if embeddedErr == nil {
		return dir, nil
	}
	return "", fmt.Errorf("no PostgreSQL server binaries: need postgres and initdb, looked in PGASK_PG_BIN, pg_config --bindir, "+
		"/usr/lib/postgresql/*/bin and PATH; install the package postgresql or set PGASK_PG_BIN: %w", errors.Join(err, embeddedErr))
}

// installed looks where servers usually are.
func installed(ctx context.Context) string {
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		if dir := strings.TrimSpace(string(out)); complete(dir) {
			return dir
		}
	}
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // the pattern is a constant and well-formed
	slices.SortFunc(dirs, func(a, b string) int { return version(b) - version(a) })
	for _, dir := range dirs {
		if complete(dir) {
			return dir
		}
	}
	if path, err := exec.LookPath("postgres"); err == nil && complete(filepath.Dir(path)) {
		return filepath.Dir(path)
	}
	return ""
}

// version is the number in /usr/lib/postgresql/NUMBER/bin.
func version(dir string) int {
	n, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	if err != nil {
		return 0
	}
	return n
}

func complete(dir string) bool {
	for _, name := range []string{"postgres", "initdb"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			return false
		}
	}
	return true
}
