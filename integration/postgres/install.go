package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// install installs Debian's or Ubuntu's package, which needs root.
func install(ctx context.Context, log io.Writer) error {
	if os.Geteuid() != 0 {
		return errors.New("not root, so no package can be installed")
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("no apt-get on this machine")
	}
	fmt.Fprintln(log, "No PostgreSQL server found; installing the package postgresql with apt-get.")
	for _, args := range [][]string{{"update", "-q"}, {"install", "-y", "-q", "--no-install-recommends", "postgresql"}} {
		cmd := exec.CommandContext(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w: %s", args[0], err, lastLines(string(out)))
		}
	}
	return nil
}

// embedded downloads server binaries through the embedded-postgres module and
// returns their folder. The module can't only download, so it starts a server
// of its own once; as root that fails after the binaries are there, which is
// good enough.
func embedded(log io.Writer) (string, error) {
	fmt.Fprintln(log, "No PostgreSQL server found; downloading one with the embedded-postgres module.")
	port, err := freePort()
	if err != nil {
		return "", err
	}
	root := filepath.Join(os.TempDir(), fmt.Sprintf("pgask-postgres-binaries-%d", os.Geteuid()))
	server := embeddedpostgres.NewDatabase(embeddedpostgres.DefaultConfig().
		Port(uint32(port)).BinariesPath(root).RuntimePath(filepath.Join(root, "first-run")).Logger(io.Discard))
	if err = server.Start(); err == nil {
		err = server.Stop()
	}
	if dir := filepath.Join(root, "bin"); complete(dir) {
		return dir, nil
	}
	return "", fmt.Errorf("embedded-postgres: %w", errors.Join(err, errors.New("no binaries were unpacked")))
}
