package integration

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// watched runs the program after it and ends it when its own standard input
// does: by order, or because the tests died. It passes SIGHUP and SIGTERM on.
const watched = `
exec 9<&0
"$@" </dev/null 9<&- &
server=$!
trap 'kill -HUP $server' HUP
trap 'kill -TERM $server' TERM
{ cat <&9; kill -TERM $server; } >/dev/null 2>&1 &
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
	log  journal
	done chan error
}

// journal is what a program has written so far.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// String may be called while the program runs.
func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// started tells whether a shared fixture was asked for.
var started atomic.Bool

func sharedStarted() bool { return started.Load() }

// launch is how a program is started.
type launch struct {
	config, addr string
	env          []string
	shell        string // runs "$@" in place of us
	files        []*os.File
	stderr       *os.File // in place of proxy.log
}

// startServe runs the program and waits until it takes connections.
func startServe(config, addr string) (*proxy, error) {
	p, err := start(launch{config: config, addr: addr})
	if err != nil {
		return nil, err
	}
	return p, p.ready()
}

// start runs the program.
func start(l launch) (*proxy, error) {
	p := &proxy{addr: l.addr, done: make(chan error, 1)}
	args := []string{program(), "serve", "--config", l.config}
	if l.shell != "" {
		args = append([]string{"/bin/sh", "-c", l.shell, "launch"}, args...)
	}
	p.cmd = watchedCommand(args...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	if l.stderr != nil {
		p.cmd.Stderr = l.stderr
	}
	p.cmd.ExtraFiles = l.files
	// A race is reported at once and makes the exit code 66.
	p.cmd.Env = append(append(os.Environ(), "GORACE=exitcode=66"), l.env...)
	var err error
	if p.end, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.done <- p.cmd.Wait() }()
	return p, nil
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
