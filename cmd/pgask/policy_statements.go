package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/audit"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
)

// sent is a statement to judge: by whom and where it was sent, or empty for
// every user and every database.
type sent struct {
	user, database, text string
	from                 string // file and line, or the curated query
	// shown stands for a text that is too long to show; empty for the text.
	shown string
}

// about names the statement: where it is from, and its text on one line.
func (s sent) about() string {
	return s.from + ": " + strings.Join(strings.Fields(cmp.Or(s.shown, s.text)), " ")
}

// statementsToCompare are those of a file, else of the audit log where there is
// one that keeps texts, with the files that it was rotated to; and the curated
// queries.
func statementsToCompare(all *configs.All, path string) ([]sent, error) {
	var out []sent
	var err error
	switch log := all.Config.Audit; {
	case path != "":
		out, err = readSent(path)
	case log.Text == "full" && log.Path != "":
		out, err = readLogs(audit.Files(log.Path))
	}
	if err != nil {
		return nil, err
	}
	return append(out, curatedQuestions(all)...), nil
}

// readSent reads the JSON lines of an audit log, or SQL.
func readSent(path string) ([]sent, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '{' {
		a := audited{}
		err := a.read(path, bytes.NewReader(data))
		return a.list, err
	}
	statements, err := stmt.Parse(string(data), stmt.Limits{Bytes: max(len(data), stmt.DefaultLimits().Bytes)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []sent
	for at, st := 0, statements; len(st) > 0; st = st[1:] {
		text := st[0].Text
		if i := strings.Index(string(data[at:]), text); i >= 0 {
			at += i
		}
		lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
		line := 1 + bytes.Count(data[:at+lead], []byte("\n"))
		out = append(out, sent{text: strings.TrimSpace(text), from: fmt.Sprintf("%s:%d", path, line)})
		at += len(text)
	}
	return out, nil
}

// maxAuditLine bounds a line of an audit log in bytes; statements are bounded by
// limits.statement_bytes.
const maxAuditLine = 64 << 20

// audited is what audit logs say of who sent what: each statement once for each
// user and database.
type audited struct {
	list []sent
	seen map[sent]bool
}

// readLogs reads those of the files that are there.
func readLogs(paths []string) ([]sent, error) {
	a := audited{}
	for _, path := range paths {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // nothing was written yet, or it was removed just now
		}
		if err != nil {
			return nil, err
		}
		err = a.read(path, f)
		_ = f.Close() // it was only read
		if err != nil {
			return nil, err
		}
	}
	return a.list, nil
}

// read adds a log's statements. Lines without a text, as those of a log of
// fingerprints, are left out.
func (a *audited) read(path string, log io.Reader) error {
	if a.seen == nil {
		a.seen = map[sent]bool{}
	}
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, maxAuditLine)
	for n := 1; lines.Scan(); n++ {
		var line struct {
			User     string `json:"user"`
			Database string `json:"database"`
			Text     string `json:"text"`
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("%s:%d: not a line of an audit log: %w", path, n, err)
		}
		one := sent{user: line.User, database: line.Database, text: line.Text}
		if one.text == "" || one.user == "" || a.seen[one] {
			continue
		}
		a.seen[one] = true
		one.from = fmt.Sprintf("%s:%d", path, n)
		a.list = append(a.list, one)
	}
	return lines.Err()
}

// curatedQuestions asks for each curated query in its own words, with example
// values.
func curatedQuestions(all *configs.All) []sent {
	var out []sent
	for _, q := range all.Curated.Queries {
		question := q.Question
		for name, p := range q.Params {
			question = strings.ReplaceAll(question, "{"+name+"}", planner.ExampleOf(p))
		}
		out = append(out, sent{database: q.Database, text: "ASK '" + strings.ReplaceAll(question, "'", "''") + "'",
			from: fmt.Sprintf("%s: curated query %s", q.Pos, q.ID)})
	}
	return out
}
