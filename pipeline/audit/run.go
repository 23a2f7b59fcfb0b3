package audit

import (
	"bytes"
	"time"
)

// run is the goroutine that writes.
func (l *Log) run() {
	defer close(l.ended)
	defer l.w.release()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-l.wake:
			l.gathered()
		case <-timer.C:
		case <-l.quit:
			l.finish()
			return
		}
		l.attempt()
		timer.Stop()
		if d := l.next(); d > 0 {
			timer.Reset(d)
		}
	}
}

// gathered waits for more lines, where nobody needs those there are at once.
func (l *Log) gathered() {
	if l.o.Required {
		return
	}
	timer := time.NewTimer(gather)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.quit:
	}
}

// next is when there is something to do even if no line comes; 0 is never.
func (l *Log) next() time.Duration {
	switch {
	case l.w.failure != nil:
		return retry
	case l.w.unsynced():
		return max(l.o.Sync-l.o.Now().Sub(l.w.dirty), time.Millisecond)
	case l.o.Required:
		return retry
	}
	return 0
}

// finish is the last attempt.
func (l *Log) finish() {
	l.w.closing = true
	l.attempt()
	l.mu.Lock()
	defer l.mu.Unlock()
	unwritten := int64(bytes.Count(l.w.lines, []byte("\n")))
	l.stats.Lost += unwritten
	l.left = unwritten + l.lost
}

// attempt takes what is queued and writes it, with what went before it.
func (l *Log) attempt() {
	w := &l.w
	l.mu.Lock()
	w.lines, l.queue = l.take()
	w.gap = l.gap()
	reopen := l.reopen
	l.reopen = false
	l.mu.Unlock()
	if reopen {
		w.release()
	}
	bytes, rotations := w.bytes, w.rotations
	lines := w.count
	err := w.put()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Bytes += w.bytes - bytes
	l.stats.Rotations += w.rotations - rotations
	l.stats.Lines += w.count - lines
	l.taken = len(w.lines)
	l.judge(err)
}

// take joins what couldn't be written with what is queued. The writer's buffer
// becomes the queue's where that is empty.
func (l *Log) take() (lines, queue []byte) {
	defer func() { l.taken = len(lines) }()
	if len(l.w.lines) == 0 {
		return l.queue, l.w.lines[:0]
	}
	return append(l.w.lines, l.queue...), l.queue[:0]
}

// gap is what the log has to tell of what it lacks, nil for nothing.
func (l *Log) gap() *gap {
	if l.since.IsZero() {
		return nil
	}
	g := &gap{Event: eventGap, Instance: l.o.Instance, Since: l.since.UTC().Format(timeLayout), Lost: l.lost, Refused: l.turned, Reason: errSlow.Error()}
	if l.broken != nil {
		g.Reason = reason(l.broken.cause)
	}
	return g
}

// judge takes how an attempt ended, with the lock held: whether statements are
// admitted from now on.
func (l *Log) judge(err error) {
	close(l.room)
	l.room = make(chan struct{})
	if err != nil {
		l.stats.Failures++
		l.begins()
		id := incident()
		if l.broken != nil {
			id = l.broken.Incident
		} else {
			l.o.Logger.Error("the audit log can't be written", "incident", id, "error", err, "required", l.o.Required)
		}
		l.broken = &Unwritable{Incident: id, cause: err}
		l.stats.Writable = false
		return
	}
	l.stats.Written = l.o.Now()
	if g := l.w.gap; g != nil {
		l.lost, l.turned, l.since = l.lost-g.Lost, l.turned-g.Refused, time.Time{}
		if l.lost > 0 || l.turned > 0 {
			l.since = l.o.Now()
		}
		l.o.Logger.Warn("the audit log has a gap", "since", g.Since, "lost", g.Lost, "refused", g.Refused, "reason", g.Reason)
	}
	if l.broken != nil {
		l.o.Logger.Warn("the audit log can be written again", "incident", l.broken.Incident)
	}
	l.broken, l.stats.Writable = nil, true
}
