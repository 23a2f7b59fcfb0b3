package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// watchdog runs the server as its child and waits for the end of its standard
// input, which comes when the program that started it stops it or dies. Then it
// ends the server fast (SIGINT) and removes its folder.
const watchdog = `
"$1/postgres" -D "$2/data" >>"$2/log" 2>&1 </dev/null &
server=$!
trap '' INT TERM HUP
cat >/dev/null
kill -INT $server 2>/dev/null
wait $server
status=$?
rm -rf "$2"
exit $status
`

// process is a running watchdog with its server.
type process struct {
	cmd   *exec.Cmd
	alive io.Closer // our end of the pipe; its closing ends the server
}

// launch starts server and watchdog in a process group of their own, so that
// Ctrl-C in a terminal reaches the program first and the server by its order.
func launch(bin string, owner account, dir string) (*process, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer read.Close()
	cmd := exec.Command("/bin/sh", "-c", watchdog, "pgask-postgres", bin, dir)
	cmd.Dir = dir
	cmd.Stdin = read
	cmd.SysProcAttr = owner.attributes()
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start postgres: %w", err), write.Close())
	}
	return &process{cmd: cmd, alive: write}, nil
}

// end stops the server and waits for it.
func (p *process) end() error {
	err := p.alive.Close()
	if wait := p.cmd.Wait(); wait != nil {
		err = errors.Join(err, fmt.Errorf("stop postgres: %w", wait))
	}
	return err
}

// ready returns when the server takes connections, or with the reason why it
// never will.
func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.DSN("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		if strings.Contains(tail(s.LogFile()), "FATAL") && !s.running() {
			return errors.New("the server ended at once")
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer in time: %w", err)
		case <-tick.C:
		}
	}
}

// running tells whether postgres holds its lock file.
func (s *Server) running() bool {
	_, err := os.Stat(filepath.Join(s.dir, "data", "postmaster.pid"))
	return err == nil
}

// initdb makes the data folder.
func initdb(ctx context.Context, bin string, owner account, dir, password string, scram bool) error {
	method := "trust"
	if scram {
		method = "scram-sha-256"
	}
	file := filepath.Join(dir, "password")
	if err := owner.writeFile(file, []byte(password+"\n")); err != nil {
		return err
	}
	defer os.Remove(file)
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"),
		"-U", "postgres", "-A", method, "--pwfile", file, "-E", "UTF8", "--locale=C", "--no-sync")
	cmd.Dir = dir
	cmd.SysProcAttr = owner.attributes()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, lastLines(string(out)))
	}
	return nil
}

// tail is the last lines of a log file, or nothing.
func tail(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return lastLines(string(text))
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
