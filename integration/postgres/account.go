package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// account is who the server runs as. Postgres refuses to run as root; for any
// other user it is the user itself, which the zero value stands for.
type account struct {
	other    bool
	uid, gid int
}

// unprivileged is the current user, or, for root, postgres or nobody.
func unprivileged() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return account{}, fmt.Errorf("user %s: %w", name, err)
		}
		return account{other: true, uid: uid, gid: gid}, nil
	}
	return account{}, errors.New("postgres does not run as root, and there is neither a user postgres nor a user nobody; run as an ordinary user")
}

func (a account) attributes() *syscall.SysProcAttr {
	if !a.other {
		return &syscall.SysProcAttr{}
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}}
}

// mkdir makes the server's folder. Its path stays short, because the socket in
// it may have no more than 107 bytes.
func (a account) mkdir(parent string) (string, error) {
	if parent != "" {
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return "", err
		}
	}
	dir, err := os.MkdirTemp(parent, "pgask-pg-")
	if err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	return dir, a.own(dir)
}

// writeFile writes a file that only the account can read.
func (a account) writeFile(path string, data []byte) error {
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err
	}
	return a.own(path)
}

func (a account) own(path string) error {
	if !a.other {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// configure appends the settings to postgresql.conf. Durability is off: a
// server that is thrown away has nothing to lose.
func (a account) configure(dir string, o Options) error {
	settings := map[string]string{
		"listen_addresses": "127.0.0.1", "port": strconv.Itoa(o.Port), "unix_socket_directories": socketDir(dir),
		"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off",
		"max_wal_size": "2GB", "shared_buffers": "128MB", "max_connections": "200",
		"log_line_prefix": "%m [%p] %u@%d ", "timezone": "UTC", "log_timezone": "UTC",
	}
	if o.TLS {
		settings["ssl"] = "on"
	}
	for name, value := range o.Settings {
		settings[name] = value
	}
	var lines strings.Builder
	for _, name := range sortedKeys(settings) {
		fmt.Fprintf(&lines, "%s = '%s'\n", name, strings.ReplaceAll(settings[name], "'", "''"))
	}
	file, err := os.OpenFile(filepath.Join(dir, "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(lines.String())
	return errors.Join(err, file.Close())
}

// socketDir is the server's folder, or none where its path is too long for a
// socket.
func socketDir(dir string) string {
	if len(dir) > 80 {
		return ""
	}
	return dir
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
