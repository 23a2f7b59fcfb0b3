package integration

import (
	"bytes"
	"regexp"
	"slices"
	"testing"

	"github.com/pgask/pgask/integration/record"
)

// sameDifference is a part of a frame that may differ between two sessions.
type sameDifference struct {
	from  record.Side
	kind  byte   // anyKind for all
	start string // what the body begins with
	// part finds what may differ behind the start; nil is everything.
	part *regexp.Regexp
	why  string
}

// sameDifferences is the whole list of what a client may notice of pgask. None
// of it is more than would differ between any two sessions with Postgres.
var sameDifferences = []sameDifference{
	{record.Server, 'K', "", nil, "every session has its own process number and secret"},
	{record.Client, record.Initial, "\x04\xd2\x16\x2e", nil, "a cancel request names them"},
	{record.Client, 'p', "", regexp.MustCompile(`r=[^,]*`), "the client's nonce, which the second message repeats with the server's"},
	{record.Client, 'p', "c=", regexp.MustCompile(`,p=.*$`), "the proof depends on both nonces and the salt"},
	{record.Server, 'R', "\x00\x00\x00\x0b", regexp.MustCompile(`r=[^,]*,s=[^,]*`), "the server's nonce and salt"},
	{record.Client, anyKind, "", regexp.MustCompile(`(_PLAN|SQL_CUR|_EXEC_SVP_)0x[0-9a-f]+`), "ODBC's driver names statements, cursors and savepoints by addresses in its memory"},
	{record.Server, 'R', "\x00\x00\x00\x0c", regexp.MustCompile(`v=.*$`), "the server's signature depends on them"},
}

// anyKind is no kind of any frame.
const anyKind byte = 0xff

// notifier is the process number that a NotificationResponse begins with.
const notifier = 4

// differences takes out what may differ, and knows which of the list were
// needed.
type differences struct {
	used map[int]bool
}

func (d *differences) lines(frames []record.Frame) []string {
	out := make([]string, len(frames))
	for i, f := range frames {
		out[i] = line(d.without(f))
	}
	sortParameters(out)
	return out
}

// sortParameters puts the ParameterStatus of a login in order. Postgres sends
// them in the order of its own table of parameters, pgask by name, and a client
// can't tell more from it: they all come before the first ReadyForQuery.
func sortParameters(lines []string) {
	first := slices.IndexFunc(lines, func(l string) bool { return l[0] == 'S' })
	if first < 0 {
		return
	}
	count := slices.IndexFunc(lines[first:], func(l string) bool { return l[0] != 'S' })
	slices.Sort(lines[first : first+max(count, 0)])
}

// without is the frame with nothing in the places that may differ.
func (d *differences) without(f record.Frame) record.Frame {
	if f.From == record.Server && f.Kind == 'A' && len(f.Body) > notifier {
		f.Body = f.Body[notifier:]
	}
	for i, x := range sameDifferences {
		rest, found := bytes.CutPrefix(f.Body, []byte(x.start))
		if x.from != f.From || (x.kind != f.Kind && x.kind != anyKind) || !found || (x.part != nil && !x.part.Match(rest)) {
			continue
		}
		d.used[i] = true
		if x.part == nil {
			rest = nil
		} else {
			rest = x.part.ReplaceAll(rest, []byte("*"))
		}
		f.Body = append([]byte(x.start), rest...)
	}
	return f
}

// check wants every entry of the list needed: one that isn't hides nothing
// today and may hide a fault tomorrow.
func (d *differences) check(t *testing.T) {
	t.Helper()
	for i, x := range sameDifferences {
		if !d.used[i] {
			t.Errorf("no frame needs the exception for %q", x.why)
		}
	}
}
