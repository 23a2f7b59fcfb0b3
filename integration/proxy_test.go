package integration

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

// watched runs the program after it and ends it when its own standard input
// does: by order, or because the tests died. It passes SIGHUP on.
const watched = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
trap 'kill -HUP $server' HUP
{ cat <&3; kill -TERM $server; } >/dev/null 2>&1 &
while :; do
	wait $server
	code=$?
	kill -0 $server 2>/dev/null || exit $code # else a signal of ours ended the waiting
done`

func watchedCommand(args ...string) *exec.Cmd {
	return exec.Command("/bin/sh", append([]string{"-c", watched, "watched"}, args...)...)
}

// proxy is a running pgask serve.
type proxy struct {
	addr string
	end  io.Closer // its closing asks the program to end
	cmd  *exec.Cmd
	log  bytes.Buffer // read it after the end only
	done chan error
}

// started tells whether a shared fixture was asked for.
var started atomic.Bool

func sharedStarted() bool { return started.Load() }

// startServe runs the program and waits until it takes connections.
func startServe(config, addr string) (*proxy, error) {
	p := &proxy{addr: addr, done: make(chan error, 1)}
	p.cmd = watchedCommand(program(), "serve", "--config", config)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	// A race is reported at once and makes the exit code 66.
	p.cmd.Env = append(os.Environ(), "GORACE=exitcode=66")
	var err error
	if p.end, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.done <- p.cmd.Wait() }()
	return p, p.ready()
}

func (p *proxy) ready() error {
	deadline := time.NewTimer(60 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := net.Dial("tcp", p.addr); err == nil {
			return conn.Close()
		}
		select {
		case err := <-p.done:
			return fmt.Errorf("pgask serve ended at once: %w\n%s", errors.Join(err, errors.New("no connection")), p.log.String())
		case <-deadline.C:
			return errors.Join(errors.New("pgask serve does not listen"), p.end.Close())
		case <-tick.C:
		}
	}
}

// stop asks the program to end and wants exit code 0 within half a minute.
func (p *proxy) stop() error {
	_ = p.end.Close() // it is closed already where the program has ended by itself
	select {
	case err := <-p.done:
		if err != nil {
			return fmt.Errorf("pgask serve: %w\n%s", err, p.log.String())
		}
		return nil
	case <-time.After(30 * time.Second):
		return errors.New("pgask serve does not end after SIGTERM")
	}
}
