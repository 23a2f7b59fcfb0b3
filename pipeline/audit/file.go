package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// open opens a log for reading its end and appending, and makes it where it
// isn't there, for its owner only. Whoever can put a link in the file's place
// doesn't make us write elsewhere, and a pipe doesn't make us wait.
func open(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a symbolic link", path)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// isAt tells whether the path still leads to an open file.
func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(path)
	return err == nil && os.SameFile(mine, there)
}

func lock(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// ending is the last whole line of a file of that size, without its line feed,
// nil where there is none, and what stands behind it.
func ending(f io.ReaderAt, size int64) (last, fragment []byte, err error) {
	for n := min(size, 64<<10); ; n = min(size, 4*n) {
		b := make([]byte, n)
		if _, err := f.ReadAt(b, size-n); err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, err
		}
		end := bytes.LastIndexByte(b, '\n')
		begin := bytes.LastIndexByte(b[:max(end, 0)], '\n')
		if begin < 0 && n < size {
			continue
		}
		if end < 0 {
			return nil, b, nil
		}
		return b[begin+1 : end], b[end+1:], nil
	}
}

// firstTime is the time that a file's first line begins with.
func firstTime(f io.ReaderAt) (time.Time, error) {
	b := make([]byte, len(`{"time":"`)+len(timeLayout))
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return time.Time{}, err
	}
	text, _, _ := strings.Cut(strings.TrimPrefix(string(b[:n]), `{"time":"`), `"`)
	return time.Parse(time.RFC3339, text)
}

// whole tells whether what stands behind the last line feed is a line to which
// nothing but its line feed is missing.
func whole(fragment []byte) bool {
	if !json.Valid(fragment) || fragment[0] != '{' {
		return false
	}
	_, _, intact, ok := links(fragment)
	return intact || !ok
}

// isClosing tells whether a line is the last one of a process.
func isClosing(line []byte) bool {
	var c closed
	return json.Unmarshal(line, &c) == nil && c.Event == eventClosed
}

// asideLayout is the time in the name of a file that was put aside.
const asideLayout = "20060102T150405.000Z"

// putAside renames a log to a name that nobody has.
func putAside(path string, now time.Time) (string, error) {
	stem, ext := cutExt(path)
	for at := now.UTC(); ; at = at.Add(time.Millisecond) {
		aside := stem + "-" + at.Format(asideLayout) + ext
		if _, err := os.Lstat(aside); !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return "", err
			}
			continue
		}
		return aside, os.Rename(path, aside)
	}
}

func cutExt(path string) (stem, ext string) {
	ext = filepath.Ext(path)
	return strings.TrimSuffix(path, ext), ext
}

var asideTime = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}\.[0-9]{3}Z$`)

// aside are the files that were put aside, oldest first.
func aside(path string) []string {
	stem, ext := cutExt(path)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		at, ours := strings.CutPrefix(e.Name(), filepath.Base(stem)+"-")
		at, ends := strings.CutSuffix(at, ext)
		if ours && ends && asideTime.MatchString(at) && e.Type().IsRegular() {
			out = append(out, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	slices.Sort(out)
	return out
}

// Files are those that a log at path is in, oldest first: what was put aside, and
// path itself, whether it is there or not.
func Files(path string) []string { return append(aside(path), path) }

// oldest are the files to remove so that keep of them stay; 0 keeps all.
func oldest(path string, keep int) []string {
	all := aside(path)
	if keep == 0 || len(all) <= keep {
		return nil
	}
	return all[:len(all)-keep]
}

// lastAside is the hash of the last line that was put aside, and its file; both
// are empty where there is none.
func lastAside(path string) (head, file string) {
	all := aside(path)
	if len(all) == 0 {
		return "", ""
	}
	file = all[len(all)-1]
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", ""
	}
	last, _, err := ending(f, info.Size())
	if err != nil {
		return "", ""
	}
	if _, hash, _, ok := links(last); ok {
		return hash, filepath.Base(file)
	}
	return "", ""
}

// reason is an error without paths: the log's readers need not know them.
func reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}
