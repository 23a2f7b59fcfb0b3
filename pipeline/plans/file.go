package plans

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// maxFile bounds a file of approved plans, in bytes.
const maxFile = 64 << 20

// File keeps approved plans in a file of JSON, which is read again when it changes:
// processes of one machine may share it, and people may edit it.
type File struct {
	path string

	mu   sync.Mutex
	seen fs.FileInfo
	all  []Approved
}

// NewFile is the store in a file, which need not be there yet.
func NewFile(path string) *File { return &File{path: path} }

// document is the file's content.
type document struct {
	Plans []Approved `json:"plans"`
}

// Approved are all of a database, by question. The error says what is wrong with the
// file.
func (f *File) Approved(_ context.Context, database string) ([]Approved, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.read(); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(f.all), func(a Approved) bool { return a.Database != database }), nil
}

// read takes the file where it isn't the one that was read last.
func (f *File) read() error {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.seen, f.all = nil, nil
		return nil
	}
	if err != nil {
		return err
	}
	if f.seen != nil && os.SameFile(f.seen, info) && f.seen.ModTime().Equal(info.ModTime()) && f.seen.Size() == info.Size() {
		return nil
	}
	if info.Size() > maxFile {
		return fmt.Errorf("%s is larger than %d bytes", f.path, maxFile)
	}
	text, err := os.ReadFile(f.path)
	if err != nil {
		return err
	}
	all, err := decodeList(text)
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	f.seen, f.all = info, all
	return nil
}

func decodeList(text []byte) ([]Approved, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	var l document
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the list of plans")
	}
	return l.Plans, nil
}

// Approve keeps a plan. When it returns, the plan outlives a crash.
func (f *File) Approve(_ context.Context, a Approved) error {
	return f.change(func(all []Approved) []Approved {
		all = slices.DeleteFunc(all, a.replaces)
		all = append(all, a)
		slices.SortStableFunc(all, func(a, b Approved) int { return strings.Compare(a.Question, b.Question) })
		return all
	})
}

func (a Approved) replaces(b Approved) bool {
	return a.Database == b.Database && Key(a.Question) == Key(b.Question)
}

// Revoke removes the plan of a question and returns it; nil where there is none.
func (f *File) Revoke(_ context.Context, database, question string) (*Approved, error) {
	var gone *Approved
	err := f.change(func(all []Approved) []Approved {
		return slices.DeleteFunc(all, func(b Approved) bool {
			if !(Approved{Database: database, Question: question}).replaces(b) {
				return false
			}
			gone = &b
			return true
		})
	})
	return gone, err
}

// change replaces the file while no other process does.
func (f *File) change(edit func([]Approved) []Approved) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	lock, err := os.OpenFile(f.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	f.seen = nil // whatever the clock says
	if err := f.read(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(document{edit(slices.Clone(f.all))}, "", "  ")
	if err != nil {
		return err
	}
	f.seen = nil
	return replace(f.path, append(text, '\n'))
}

// replace writes a file beside its place and moves it there.
func replace(path string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-")
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
