package main

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// maxUnwritten is how many bytes of the log may wait for who reads it.
	maxUnwritten = 1 << 20
	// lastLines is how long the end of the process waits for that.
	lastLines = 2 * time.Second
)

// logWriter keeps the log from holding up sessions: lines are written by a
// goroutine of its own, and when they can't be (the disk is full, nobody reads
// the pipe), they are counted and lost.
type logWriter struct {
	to     io.Writer
	wake   chan struct{} // of one: there is something to do
	ended  chan struct{}
	mu     sync.Mutex
	lines  []byte // guarded by mu
	lost   int    // guarded by mu
	closed bool   // guarded by mu
}

func newLogWriter(to io.Writer) *logWriter {
	w := &logWriter{to: to, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go w.run()
	return w
}

// Write takes one line and never fails.
func (w *logWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lines)+len(line) > maxUnwritten {
		w.lost++
	} else {
		w.lines = append(w.lines, line...)
	}
	w.rouse()
	return len(line), nil
}

func (w *logWriter) rouse() {
	select {
	case w.wake <- struct{}{}:
	default: // it is awake
	}
}

// Close writes what is left, if that is possible.
func (w *logWriter) Close() {
	w.mu.Lock()
	w.closed = true
	w.rouse()
	w.mu.Unlock()
	timer := time.NewTimer(lastLines)
	defer timer.Stop()
	select {
	case <-w.ended:
	case <-timer.C:
	}
}

func (w *logWriter) run() {
	defer close(w.ended)
	var spare []byte
	for range w.wake {
		w.mu.Lock()
		lines, lost, closed := w.lines, w.lost, w.closed
		w.lines, w.lost = spare[:0], 0
		w.mu.Unlock()
		if lost += w.put(lines); lost > 0 {
			w.confess(lost)
		}
		if spare = lines; closed {
			return
		}
	}
}

// put writes lines and returns how many writes failed.
func (w *logWriter) put(lines []byte) int {
	if len(lines) == 0 {
		return 0
	}
	if _, err := w.to.Write(lines); err != nil {
		return 1
	}
	return 0
}

// confess says in the log what it lacks; where that fails, the next line tries
// again.
func (w *logWriter) confess(lost int) {
	record := slog.NewRecord(time.Now(), slog.LevelWarn, "the log could not be written, lines are missing", 0)
	record.AddAttrs(slog.Int("at_least", lost))
	if err := slog.NewTextHandler(w.to, nil).Handle(context.Background(), record); err != nil {
		w.mu.Lock()
		w.lost += lost
		w.mu.Unlock()
	}
}
