package trace

import (
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// waiting is how many traces may wait for the disk; what comes then is lost.
const waiting = 64

// Writer writes traces aside: who asks waits for no disk.
type Writer struct {
	dir    string
	always bool
	limits Limits
	hide   *Redactor
	log    *slog.Logger
	queue  chan *Trace
	done   sync.WaitGroup
	mu     sync.Mutex // guards closed, and sending with it
	closed bool
	lost   sync.Once
}

// NewWriter begins. Without always only failures are kept; limits say which files stay.
func NewWriter(dir string, always bool, limits Limits, hide *Redactor, log *slog.Logger) *Writer {
	w := &Writer{dir: dir, always: always, limits: limits, hide: hide, log: log, queue: make(chan *Trace, waiting)}
	w.done.Go(w.work)
	return w
}

// Keep takes what is known of a question now; a later trace of the same id takes
// its place. It doesn't wait.
func (w *Writer) Keep(t Trace) {
	if !w.always && t.Verdict == Allowed {
		return
	}
	t.Stages, t.Calls, t.Answers = slices.Clone(t.Stages), slices.Clone(t.Calls), slices.Clone(t.Answers)
	if t.Failure != nil {
		f := *t.Failure
		t.Failure = &f
	}
	if t.Last != nil {
		l := *t.Last
		l.Qualifiers = slices.Clone(l.Qualifiers)
		t.Last = &l
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	select {
	case w.queue <- &t:
	default:
		w.lost.Do(func() { w.log.Warn("traces are lost: the disk is too slow for them") })
	}
}

func (w *Writer) work() {
	hourly := time.NewTicker(prunedEvery)
	defer hourly.Stop()
	w.prune()
	for written := 0; ; {
		select {
		case t, more := <-w.queue:
			if !more {
				return
			}
			w.hide.Trace(t)
			if err := write(w.dir, t); err != nil {
				w.log.Warn("a trace could not be written", "request", t.ID, "error", err)
			}
			if written++; written%prunedAfter == 0 {
				w.prune()
			}
		case <-hourly.C:
			w.prune()
		}
	}
}

func (w *Writer) prune() {
	if err := w.limits.prune(w.dir, time.Now()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.log.Warn("old traces could not be deleted", "error", err)
	}
}

// Close writes what waits, and ends. A nil Writer has nothing to do.
func (w *Writer) Close() {
	if w == nil {
		return
	}
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
	w.mu.Unlock()
	w.done.Wait()
}
