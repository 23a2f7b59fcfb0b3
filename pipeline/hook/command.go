package hook

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// runner runs a command that reads the event and writes the reply. It has a PATH and
// nothing else of our environment, where secrets are, and is ended with everything
// it started.
func runner(words []string, folder string) func(context.Context, []byte) ([]byte, error) {
	return func(ctx context.Context, event []byte) ([]byte, error) {
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Dir = folder
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		cmd.WaitDelay = time.Second // for whoever holds its output open
		cmd.Stdin = bytes.NewReader(event)
		out := &limited{}
		cmd.Stdout = out
		if err := cmd.Run(); err != nil {
			return nil, err
		}
		return bounded(out.text, nil)
	}
}

// limited keeps a little more of what is written than a reply may have.
type limited struct{ text []byte }

func (l *limited) Write(p []byte) (int, error) {
	l.text = append(l.text, p[:min(len(p), maxReply+1-len(l.text))]...)
	return len(p), nil
}
