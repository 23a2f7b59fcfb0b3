package audit

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Check follows a hash chain over the files of a log, oldest first.
type Check struct {
	// Lines counts the good ones, Torn those among them that say that the line
	// before them broke off.
	Lines, Torn int
	// First is what the first line names as the hash before it, Head the last
	// line's hash. Both are empty before there is a line.
	First, Head string
	// Unfinished tells that the last file ends inside a line: a process died
	// there, or still writes.
	Unfinished bool

	wanted string
	found  bool
}

// Expect makes Found tell whether some good line has that hash.
func (c *Check) Expect(hash string) { c.wanted = hash }

// Found tells whether the expected hash was met, true where none is expected.
func (c *Check) Found() bool { return c.wanted == "" || c.found }

// Broken is where a chain breaks.
type Broken struct {
	Line   int // within the file, from 1
	Reason string
}

func (b *Broken) Error() string { return fmt.Sprintf("line %d: %s", b.Line, b.Reason) }

// maxLine bounds a line that is verified: a statement of 1 GiB, the most that
// limits.statement_bytes allows, with everything in it escaped.
const maxLine int64 = 8 << 30

// File checks one more file. A *Broken error names the first line that is not
// what was written; the lines before it are good.
func (c *Check) File(r io.Reader) error {
	in := bufio.NewReaderSize(r, 1<<16)
	c.Unfinished = false
	var fragment []byte // a line without a hash, until the next one explains it
	for n := 1; ; n++ {
		line, err := readLine(in)
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0 && fragment != nil:
			return &Broken{n - 1, "it has no hash"}
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil
		case errors.Is(err, io.EOF) && fragment == nil:
			c.Unfinished = true
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		prev, hash, intact, ok := links(line)
		switch {
		case fragment != nil:
			if !ok || !intact || !explains(line, fragment) {
				return &Broken{n - 1, "it has no hash"}
			}
			c.Torn++
			fragment = nil
		case !ok:
			fragment = line
			continue
		case !intact:
			return &Broken{n, "it was changed: its hash is not that of its contents"}
		}
		if c.Head == "" {
			c.First = prev
		} else if prev != c.Head {
			return &Broken{n, "it doesn't follow the line before it: lines are missing or were moved"}
		}
		c.Head = hash
		c.found = c.found || hash == c.wanted
		c.Lines++
	}
}

// readLine reads up to a line feed, which is cut off; with io.EOF the rest.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case int64(len(line)) > maxLine:
			return nil, fmt.Errorf("a line is longer than %d bytes", maxLine)
		case err == nil:
			return line[:len(line)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// explains tells whether a line is the one that was written behind a torn one.
func explains(line, fragment []byte) bool {
	var t torn
	sum := sha256.Sum256(fragment)
	return json.Unmarshal(line, &t) == nil && t.Event == eventTorn && t.Bytes == len(fragment) &&
		t.SHA256 == hex.EncodeToString(sum[:])
}

// tornBy is the line to write behind a fragment.
func tornBy(fragment []byte) torn {
	sum := sha256.Sum256(fragment)
	return torn{Event: eventTorn, Bytes: len(fragment), SHA256: hex.EncodeToString(sum[:])}
}

// Continues tells whether the chain begins somewhere else: in a file before
// the first one that was checked.
func (c *Check) Continues() bool {
	return c.First != "" && !bytes.Equal([]byte(c.First), []byte(genesis))
}
