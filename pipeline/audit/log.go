package audit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"
)

// Options configure a Log.
type Options struct {
	// Path is the file; its folder must exist. A symbolic link, and what is no
	// regular file, is not written to. New files are for their owner only.
	Path string
	// Instance is cluster.instance of pgask.yaml.
	Instance int
	// Full writes texts and questions; without it their fingerprints and digests.
	Full bool
	// Required has Admit refuse statements while lines can't be written.
	Required bool
	// Chain adds to each line the hash of the one before and its own.
	Chain bool
	// Sync is how long a written line may wait for fsync; 0 syncs each batch.
	Sync   time.Duration
	Rotate Rotate
	Logger *slog.Logger
	Now    func() time.Time

	// write and sync are a file's, for tests that need a full disk.
	write func(f *os.File, b []byte) (int, error)
	sync  func(f *os.File) error
}

// Rotate says when a file is put aside, and how many such files are kept. Zero
// fields: never, and all.
type Rotate struct {
	Size int64
	Age  time.Duration // of the file's first line
	Keep int
}

// Bounds of the queue, in bytes. Statements wait, or are refused where the log
// is required, from half of it on; the other half is for the lines of those
// that run already.
const (
	maxQueue = 32 << 20
	admitted = maxQueue / 2
)

// Times of the writer.
const (
	// gather is how long the writer lets lines come together, where a log isn't
	// required.
	gather = 10 * time.Millisecond
	// retry is how often it tries to write when that failed, and how often it
	// looks for the file of a required log while there is nothing to write.
	retry = time.Second
	// lastLines is how long the end of the process waits for a disk.
	lastLines = 5 * time.Second
	// patience is how long a statement waits for room in the queue.
	patience = 2 * time.Second
)

// Log takes lines from anybody and writes them. A nil Log takes nothing.
type Log struct {
	o     Options
	wake  chan struct{} // of one: there is something to write
	quit  chan struct{}
	ended chan struct{}
	w     writer // the writing goroutine's own

	mu     sync.Mutex // guards what is below
	queue  []byte     // lines, each with its line feed and without hashes
	taken  int        // bytes that the writer has and that aren't written
	room   chan struct{}
	broken *Unwritable // why nothing can be written
	since  time.Time   // of the first line lost, or statement refused
	stats  Stats
	lost   int64 // lines lost and statements refused that no gap line tells of
	turned int64
	reopen bool
	closed bool
	left   int64 // lines lost that not even a gap line could tell of
}

// Stats are what metrics tell of a log.
type Stats struct {
	Lines, Bytes int64 // written
	Lost         int64 // lines that found no room in the queue, or were left at the end
	Refused      int64 // statements refused because lines couldn't be written
	Failures     int64 // writes, syncs and openings that failed
	Rotations    int64
	Waiting      int // bytes not written yet
	Writable     bool
	Written      time.Time // when an attempt last worked
}

// Unwritable refuses a statement whose line could not be written.
type Unwritable struct {
	// Incident is in the log beside the reason.
	Incident string
	cause    error
}

func (u *Unwritable) Error() string {
	return fmt.Sprintf("the audit log can't be written (incident %s)", u.Incident)
}

// SQLState is 53100 (disk_full) or 58030 (io_error).
func (u *Unwritable) SQLState() string {
	if errors.Is(u.cause, syscall.ENOSPC) || errors.Is(u.cause, syscall.EDQUOT) {
		return "53100"
	}
	return "58030"
}

// Detail is for the client, who can't do anything about it.
func (u *Unwritable) Detail() string {
	return "Statements are refused until their lines can be written again."
}

// Unwrap is what only pgask's own log may say.
func (u *Unwritable) Unwrap() error { return u.cause }

// errSlow is the cause where the disk takes lines, but fewer than there are.
var errSlow = errors.New("lines come faster than they can be written")

// errStuck is a log whose last lines may be missing.
var errStuck = errors.New("the audit log's last lines could not be written in time")

// Open starts a log. Where its file can't be opened that is tried again and
// again, as when it can't be written later.
func Open(o Options) *Log {
	if o.write == nil {
		o.write, o.sync = (*os.File).Write, (*os.File).Sync
	}
	l := &Log{o: o, wake: make(chan struct{}, 1), quit: make(chan struct{}), ended: make(chan struct{}), room: make(chan struct{})}
	l.stats.Writable = true
	l.w = writer{l: l, o: o}
	l.attempt() // so that a log that can't be written is known to be that from the beginning
	go l.run()
	return l
}

// Full tells whether lines have texts.
func (l *Log) Full() bool { return l != nil && l.o.Full }

// Instance is the Options'.
func (l *Log) Instance() int { return l.o.Instance }

// Admit is asked before a statement is judged. Where the log is required it
// refuses with an *Unwritable while lines can't be written; when they pile up
// it waits for a moment first. Otherwise the statement's lines have their room.
func (l *Log) Admit(ctx context.Context) error {
	if l == nil || !l.o.Required {
		return nil
	}
	var late <-chan time.Time
	for {
		broken, room := l.admits()
		if broken == nil && room == nil {
			return nil
		}
		if broken != nil {
			return broken
		}
		if late == nil {
			timer := time.NewTimer(patience)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			return l.refuse(&Unwritable{Incident: incident(), cause: errSlow})
		}
	}
}

// Ready tells that Admit would admit at once. It never blocks.
func (l *Log) Ready() bool {
	if l == nil || !l.o.Required {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.broken == nil && len(l.queue)+l.taken < admitted
}

// admits tells why a statement is refused, or what it has to wait for.
func (l *Log) admits() (*Unwritable, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.broken != nil:
		l.refused()
		return l.broken, nil
	case len(l.queue)+l.taken >= admitted:
		return nil, l.room
	}
	return nil, nil
}

func (l *Log) refuse(u *Unwritable) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused()
	l.o.Logger.Error("statement refused: the audit log is too slow", "incident", u.Incident)
	return u
}

// refused counts a statement that was refused, with the lock held.
func (l *Log) refused() {
	l.stats.Refused++
	l.turned++
	l.begins()
}

// begins notes when a gap began, with the lock held.
func (l *Log) begins() {
	if l.since.IsZero() {
		l.since = l.o.Now()
	}
}

// Statement takes the line of an execution. It never blocks: a line without
// room is counted as lost, and the log will say so.
func (l *Log) Statement(s, of Part, o Outcome) {
	if l == nil {
		return
	}
	l.mu.Lock()
	if len(l.queue)+l.taken >= maxQueue || l.closed {
		l.stats.Lost++
		l.lost++
		l.begins()
		l.mu.Unlock()
		return
	}
	l.queue = appendLine(l.queue, s, of, o)
	l.mu.Unlock()
	l.rouse()
}

func (l *Log) rouse() {
	select {
	case l.wake <- struct{}{}:
	default: // it is awake
	}
}

// Reopen has the next line written to the file that has the path then. Files
// that were moved away are noticed without it as well.
func (l *Log) Reopen() {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.reopen = true
	l.mu.Unlock()
	l.rouse()
}

// Stats are the counts as they are now.
func (l *Log) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Waiting = len(l.queue) + l.taken
	return s
}

// Close writes what is left and ends the log. What can't be written any more is
// counted in the error.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	again := l.closed
	l.closed = true
	l.mu.Unlock()
	if !again {
		close(l.quit)
	}
	select {
	case <-l.ended:
	case <-time.After(lastLines):
		return errStuck
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.left == 0:
		return nil
	case l.broken == nil:
		return fmt.Errorf("the audit log lacks %d lines that came too late", l.left)
	}
	return fmt.Errorf("the audit log lacks %d lines that could not be written: %w", l.left, l.broken.cause)
}

func incident() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
