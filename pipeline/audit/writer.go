package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// writer is what the writing goroutine knows of the file. Other processes may
// write to it too (a new one beside the old one, during a restart): each batch is
// written under the file's lock, behind whatever stands there by then.
type writer struct {
	l *Log
	o Options

	f *os.File // nil while there is none
	// size is how long the file was when everything below was true; -1 is unknown.
	size     int64
	head     string // the last line's hash; of the file before where there is no line yet
	chained  bool   // the last line has one
	fragment []byte // behind the last line feed
	unended  bool   // all that the last line lacks is its line feed
	born     time.Time
	// after is the file that head is of, while there is no line.
	after string
	// begun: this process has looked at the log's end before.
	begun bool
	note  string
	stuck bool // it can't be put aside

	lines   []byte // to write, without hashes
	gap     *gap
	closing bool
	out     []byte

	dirty   time.Time // since when something written waits for fsync
	unsafe  bool      // which failed
	failure error

	bytes, count, rotations int64
}

// maxKept is the most bytes that the writer keeps for its next batch.
const maxKept = 1 << 20

// put writes what there is. After a failure the file is opened anew, so that
// nothing that was known of it is relied on.
func (w *writer) put() error {
	w.failure = w.step()
	if w.failure != nil {
		w.release()
	}
	return w.failure
}

func (w *writer) step() error {
	if w.unsafe { // nothing is written behind what may never reach the disk
		if err := w.present(); err != nil {
			return err
		}
		if err := w.settle(); err != nil {
			return err
		}
	}
	if len(w.lines) == 0 && w.gap == nil && !w.closing {
		if err := w.present(); err != nil {
			return err
		}
		return w.settle()
	}
	if err := w.hold(); err != nil {
		return err
	}
	err := w.write()
	unlock(w.f)
	if err != nil {
		return err
	}
	return w.settle()
}

// present opens the file, anew where the path leads to another by now.
func (w *writer) present() error {
	if w.f != nil && !isAt(w.f, w.o.Path) {
		w.release()
	}
	if w.f != nil {
		return nil
	}
	f, err := open(w.o.Path)
	w.f, w.size = f, -1
	return err
}

// turns bounds how often a file is put aside, or found to have been, before one
// batch.
const turns = 8

// hold opens and locks the file that the next lines belong to.
func (w *writer) hold() error {
	for range turns {
		if err := w.present(); err != nil {
			return err
		}
		if err := lock(w.f); err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		if !isAt(w.f, w.o.Path) { // it was put aside meanwhile
			continue
		}
		if err := w.look(); err != nil {
			return err
		}
		if !w.due() {
			return nil
		}
		if err := w.rotate(); err != nil {
			w.stuck = true
			w.l.o.Logger.Error("the audit log can't be put aside", "error", err)
			return nil
		}
	}
	return errors.New("the file is replaced again and again")
}

// look learns how the file ends, unless it ends where this process left it.
func (w *writer) look() error {
	info, err := w.f.Stat()
	if err != nil {
		return err
	}
	if info.Size() == w.size {
		return nil
	}
	last, fragment, err := ending(w.f, info.Size())
	if err != nil {
		return err
	}
	if w.unended = whole(fragment); w.unended {
		last, fragment = fragment, nil
	}
	w.size, w.fragment = info.Size(), fragment
	if last == nil {
		w.empty()
		return nil
	}
	_, hash, _, ok := links(last)
	w.chained, w.after = ok, ""
	if ok {
		w.head = hash
	}
	if w.born, err = firstTime(w.f); err != nil {
		w.born = info.ModTime()
	}
	if !w.begun && !isClosing(last) {
		w.note = "the log was not closed: lines of statements that ran then may be missing, unless another process writes here too"
	}
	w.begun = true
	return nil
}

// empty takes up a file without a line. Its chain goes on where that of the file
// before ended, which a process that has just begun has to find.
func (w *writer) empty() {
	w.chained, w.born = w.o.Chain, w.o.Now()
	if w.head == "" && w.o.Chain {
		w.head, w.after = lastAside(w.o.Path)
	}
	if w.head != "" && w.o.Chain && w.note == "" {
		w.note = "the chain goes on"
	}
	w.begun = true
}

// due tells whether the file is to be put aside first: it is large or old enough,
// or its lines are of the other kind, with hashes or without.
func (w *writer) due() bool {
	r := w.o.Rotate
	switch {
	case w.size == 0 || w.stuck:
		return false
	case w.chained != w.o.Chain:
		return true
	}
	return r.Size > 0 && w.size >= r.Size || r.Age > 0 && w.o.Now().Sub(w.born) >= r.Age
}

// write appends the batch. What was written of one that failed is taken back;
// where even that fails, the next batch says that a line is torn.
func (w *writer) write() error {
	w.out = w.out[:0]
	head := w.head
	if head == "" {
		head = genesis
	}
	count := int64(0)
	add := func(line []byte) {
		count++
		if !w.o.Chain {
			w.out = append(w.out, line...)
			return
		}
		w.out, head = link(w.out, line, head)
	}
	now := w.o.Now()
	if w.unended || len(w.fragment) > 0 {
		w.out = append(w.out, '\n')
	}
	if len(w.fragment) > 0 {
		add(appendEvent(nil, now, tornBy(w.fragment)))
	}
	if w.note != "" {
		add(appendEvent(nil, now, opened{Event: eventOpened, Instance: w.o.Instance, After: w.after, Note: w.note}))
	}
	for line := range bytes.Lines(w.lines) {
		add(line)
	}
	if w.gap != nil {
		add(appendEvent(nil, now, w.gap))
	}
	if w.closing && w.size+int64(len(w.out)) > 0 {
		add(appendEvent(nil, now, closed{Event: eventClosed, Instance: w.o.Instance}))
	}
	if n, err := w.o.write(w.f, w.out); err != nil {
		if n > 0 {
			_ = w.f.Truncate(w.size)
		}
		return err
	}
	w.wrote(head, count)
	return nil
}

// wrote takes note of a batch that is in the file.
func (w *writer) wrote(head string, count int64) {
	n := int64(len(w.out))
	w.size, w.bytes, w.count = w.size+n, w.bytes+n, w.count+count
	w.head, w.note, w.after, w.fragment, w.unended = head, "", "", nil, false
	if !w.o.Chain {
		w.head = ""
	}
	w.chained = w.o.Chain
	if w.dirty.IsZero() && n > 0 {
		w.dirty = w.o.Now()
	}
	if w.lines = w.lines[:0]; cap(w.lines) > maxKept {
		w.lines = nil
	}
	if cap(w.out) > maxKept {
		w.out = nil
	}
}

// unsynced tells whether something written waits for fsync.
func (w *writer) unsynced() bool { return !w.dirty.IsZero() }

// settle syncs what has waited for long enough.
func (w *writer) settle() error {
	if w.dirty.IsZero() || !w.closing && !w.unsafe && w.o.Now().Sub(w.dirty) < w.o.Sync {
		return nil
	}
	return w.safe()
}

// safe syncs the file.
func (w *writer) safe() error {
	if err := w.o.sync(w.f); err != nil {
		w.unsafe = true
		return fmt.Errorf("fsync: %w", err)
	}
	w.dirty, w.unsafe = time.Time{}, false
	return nil
}

// rotate puts the file aside, under a name with the time in it, and removes the
// oldest of such files.
func (w *writer) rotate() error {
	if err := w.safe(); err != nil {
		return err
	}
	aside, err := putAside(w.o.Path, w.o.Now())
	if err != nil {
		return err
	}
	w.release()
	w.rotations++
	w.o.Logger.Info("the audit log was put aside", "as", aside, "head", w.head)
	for _, old := range oldest(w.o.Path, w.o.Rotate.Keep) {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.o.Logger.Error("an old audit log can't be removed", "error", err)
			continue
		}
		w.o.Logger.Info("an old audit log was removed", "file", old)
	}
	return nil
}

// release closes the file, and with that unlocks it.
func (w *writer) release() {
	if w.f != nil {
		_ = w.f.Close() // what matters was synced, or will be said to be missing
	}
	w.f, w.size, w.stuck = nil, -1, false
}
