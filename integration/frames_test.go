package integration

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgask/pgask/cmd/pgask/demo/company"
)

// rawSession is a session after its login, spoken to frame by frame.
type rawSession struct {
	conn   net.Conn
	pid    uint32 // as the client was told
	status map[string]string
}

// hijack logs in with pgconn and takes the connection from it.
func hijack(t *testing.T, dsn string) *rawSession {
	t.Helper()
	conn, err := pgconn.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SyncConn(t.Context()); err != nil {
		t.Fatal(err)
	}
	h, err := conn.Hijack()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Conn.Close() })
	if err := h.Conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return &rawSession{conn: h.Conn, pid: h.PID, status: maps.Clone(h.ParameterStatuses)}
}

// converse sends the messages at once and reads until as many ReadyForQuery
// have come as they must bring.
func (s *rawSession) converse(t *testing.T, ready int, messages ...pgproto3.FrontendMessage) []string {
	t.Helper()
	var out []byte
	for _, m := range messages {
		var err error
		if out, err = m.Encode(out); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.conn.Write(out); err != nil {
		t.Fatal(err)
	}
	var frames []string
	for ready > 0 {
		kind, body := s.read(t)
		if kind == 'Z' {
			ready--
		}
		frames = append(frames, s.describe(kind, body))
	}
	return frames
}

func (s *rawSession) read(t *testing.T) (byte, []byte) {
	t.Helper()
	var header [5]byte
	if _, err := io.ReadFull(s.conn, header[:]); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, binary.BigEndian.Uint32(header[1:])-4)
	if _, err := io.ReadFull(s.conn, body); err != nil {
		t.Fatal(err)
	}
	return header[0], body
}

// describe is a frame as text, byte for byte but for the process number that a
// notification begins with: it differs between any two sessions.
func (s *rawSession) describe(kind byte, body []byte) string {
	if kind == 'A' {
		return fmt.Sprintf("A own=%v %q", binary.BigEndian.Uint32(body) != 0, body[4:])
	}
	return fmt.Sprintf("%c %q", kind, body)
}

// exchange is one turn of a script: messages, and how many ReadyForQuery they
// bring.
type exchange struct {
	name     string
	ready    int
	messages []pgproto3.FrontendMessage
}

func simple(name, sql string) exchange {
	return exchange{name, 1, []pgproto3.FrontendMessage{&pgproto3.Query{String: sql}}}
}

func extended(name string, messages ...pgproto3.FrontendMessage) exchange {
	return exchange{name, 1, append(messages, &pgproto3.Sync{})}
}

// plainScript is what any role may do.
func plainScript() []exchange {
	return []exchange{
		simple("select", "SELECT id, name, unit_price FROM products ORDER BY id"),
		simple("two statements", "SELECT 1 AS a; SELECT 'x'::text AS b"),
		simple("empty", ""),
		simple("only a comment", "-- nothing"),
		simple("begin", "BEGIN"),
		simple("in a transaction", "SELECT count(*) FROM orders"),
		simple("commit", "COMMIT"),
		extended("named statement", &pgproto3.Parse{Name: "s", Query: "SELECT id, name FROM products WHERE id < $1 ORDER BY id", ParameterOIDs: []uint32{23}},
			&pgproto3.Describe{ObjectType: 'S', Name: "s"}),
		extended("bind, describe and execute, binary", &pgproto3.Bind{PreparedStatement: "s", ParameterFormatCodes: []int16{1}, Parameters: [][]byte{{0, 0, 0, 6}}, ResultFormatCodes: []int16{1}},
			&pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}),
		extended("a portal in pieces", &pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s", Parameters: [][]byte{[]byte("30")}},
			&pgproto3.Execute{Portal: "p", MaxRows: 10}, &pgproto3.Execute{Portal: "p", MaxRows: 10}, &pgproto3.Execute{Portal: "p"}, &pgproto3.Close{ObjectType: 'P', Name: "p"}),
		extended("a pipeline with an error in the middle", &pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte("3")}}, &pgproto3.Execute{},
			&pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte("no number")}}, &pgproto3.Execute{},
			&pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte("3")}}, &pgproto3.Execute{}),
		{"two batches at once", 2, []pgproto3.FrontendMessage{
			&pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte("2")}}, &pgproto3.Execute{}, &pgproto3.Sync{},
			&pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte("3")}}, &pgproto3.Execute{}, &pgproto3.Sync{}}},
		extended("flush", &pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte("2")}}, &pgproto3.Flush{}, &pgproto3.Execute{}, &pgproto3.Flush{}),
		extended("close", &pgproto3.Close{ObjectType: 'S', Name: "s"}),
		extended("close what isn't there", &pgproto3.Close{ObjectType: 'S', Name: "s"}, &pgproto3.Close{ObjectType: 'P', Name: "nobody"}),
		extended("one format code for all", &pgproto3.Parse{Query: "SELECT id, name FROM products WHERE id > $1 AND id < $2 ORDER BY id", ParameterOIDs: []uint32{23, 23}},
			&pgproto3.Bind{ParameterFormatCodes: []int16{1}, Parameters: [][]byte{{0, 0, 0, 2}, {0, 0, 0, 6}}, ResultFormatCodes: []int16{1}}, &pgproto3.Execute{}),
		extended("a format code for each", &pgproto3.Parse{Query: "SELECT id, name FROM products WHERE id > $1 AND id < $2 ORDER BY id", ParameterOIDs: []uint32{23, 23}},
			&pgproto3.Bind{ParameterFormatCodes: []int16{1, 0}, Parameters: [][]byte{{0, 0, 0, 2}, []byte("6")}, ResultFormatCodes: []int16{0, 1}}, &pgproto3.Execute{}),
		extended("an empty prepared statement", &pgproto3.Parse{}, &pgproto3.Describe{ObjectType: 'S'}, &pgproto3.Bind{}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}),
		extended("a comment prepared", &pgproto3.Parse{Query: "/* nothing */"}, &pgproto3.Bind{}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}),
		extended("no parameters and no rows", &pgproto3.Parse{Query: "BEGIN"}, &pgproto3.Describe{ObjectType: 'S'}, &pgproto3.Bind{}, &pgproto3.Execute{}),
		extended("its end", &pgproto3.Parse{Query: "ROLLBACK"}, &pgproto3.Bind{}, &pgproto3.Execute{}),
		extended("unnamed statement", &pgproto3.Parse{Query: "SELECT name FROM products WHERE category = $1 ORDER BY name"},
			&pgproto3.Bind{Parameters: [][]byte{[]byte("Sensors")}}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}),
	}
}

// administratorScript is what only passthrough roles may do.
func administratorScript() []exchange {
	return []exchange{
		simple("syntax error", "SELEC 1"),
		simple("error among statements", "SELECT 1; SELECT 1/0; SELECT 2"),
		simple("failed transaction", "BEGIN; SELECT 1/0"),
		simple("in a failed transaction", "SELECT 1"),
		simple("rollback", "ROLLBACK"),
		simple("truncate", "TRUNCATE frames.t"),
		{"copy in", 1, []pgproto3.FrontendMessage{&pgproto3.Query{String: "COPY frames.t FROM STDIN"},
			&pgproto3.CopyData{Data: []byte("1\tone\n2\t")}, &pgproto3.CopyData{Data: []byte("two\n")}, &pgproto3.CopyDone{}}},
		{"copy in that fails", 1, []pgproto3.FrontendMessage{&pgproto3.Query{String: "COPY frames.t FROM STDIN"},
			&pgproto3.CopyData{Data: []byte("3\tthree\n")}, &pgproto3.CopyFail{Message: "changed my mind"}}},
		simple("copy out", "COPY (SELECT * FROM frames.t ORDER BY a) TO STDOUT"),
		simple("rows with nulls", "INSERT INTO frames.t VALUES (NULL, NULL) RETURNING *"),
		simple("notice", "DO $$ BEGIN RAISE NOTICE 'a notice'; RAISE WARNING 'a warning'; END $$"),
		simple("listen", "LISTEN c"),
		simple("notify", "NOTIFY c, 'payload'"),
		simple("setting that is reported", "SET application_name = 'frames'"),
		simple("setting", "SET work_mem = '5MB'; SHOW work_mem"),
		simple("cursor", "BEGIN; DECLARE c CURSOR FOR SELECT * FROM products ORDER BY id; FETCH 3 FROM c; CLOSE c; COMMIT"),
		simple("a wide row", "SELECT repeat('x', 300000)"),
		simple("many rows", "SELECT g, md5(g::text) FROM generate_series(1, 20000) g"),
		extended("parse error", &pgproto3.Parse{Name: "bad", Query: "SELECT FROM WHERE"}, &pgproto3.Bind{PreparedStatement: "bad"}, &pgproto3.Execute{}),
		extended("unknown statement", &pgproto3.Bind{PreparedStatement: "nobody"}, &pgproto3.Execute{}),
		extended("nothing but sync"),
		extended("a portal's name is no statement's", &pgproto3.Parse{Name: "x", Query: "SELECT 1"}, &pgproto3.Bind{DestinationPortal: "x", PreparedStatement: "x"},
			&pgproto3.Close{ObjectType: 'P', Name: "x"}, &pgproto3.Bind{PreparedStatement: "x"}, &pgproto3.Execute{}),
		extended("a name that is taken", &pgproto3.Parse{Name: "x", Query: "SELECT 2"}),
		extended("a Query in a failed batch", &pgproto3.Parse{Query: "SELECT broken"}, &pgproto3.Query{String: "SELECT 1"}, &pgproto3.Close{ObjectType: 'S', Name: "x"}),
		{"a Query in an open batch", 2, []pgproto3.FrontendMessage{&pgproto3.Bind{PreparedStatement: "x"}, &pgproto3.Query{String: "SELECT 1"}, &pgproto3.Sync{}}},
		{"everything deallocated in the middle", 2, []pgproto3.FrontendMessage{&pgproto3.Query{String: "DEALLOCATE ALL"},
			&pgproto3.Parse{Name: "x", Query: "SELECT 3"}, &pgproto3.Bind{PreparedStatement: "x"}, &pgproto3.Execute{}, &pgproto3.Sync{}}},
		simple("prepared for a table", "PREPARE z AS SELECT * FROM frames.t; EXECUTE z"),
		simple("that changes", "ALTER TABLE frames.t ADD c int; EXECUTE z"),
		{"function call", 1, []pgproto3.FrontendMessage{&pgproto3.FunctionCall{Function: 1317, ArgFormatCodes: []uint16{0}, Arguments: [][]byte{[]byte("four")}}}},
		simple("prepared in SQL", "PREPARE q (int) AS SELECT $1 + 1; EXECUTE q(41); DEALLOCATE q"),
		simple("what is it called", "SELECT 'ask' AS ask, 'pgask.last' AS last -- ask"),
	}
}

// TestSameFrames plays the same script direct and through pgask and compares
// every frame: a passthrough role may not notice pgask at all, and neither may
// a governed one whose statements need nothing done to them, but for what
// errors tell besides their message, and for values in it.
func TestSameFrames(t *testing.T) {
	f := acme(t)
	framesTable(t, f)
	for _, c := range []struct {
		user, login string
		script      []exchange
	}{
		{"dba", company.Owner, append(plainScript(), administratorScript()...)},
		// Again and again: its texts are executed by statements prepared before.
		{"finn", company.Reader, slices.Repeat(plainScript(), 4)},
	} {
		t.Run(c.user, func(t *testing.T) {
			want, wantStatus := play(t, f.Login(c.login), c.script)
			got, gotStatus := play(t, f.Through(c.user), c.script)
			if diff := cmp.Diff(wantStatus, gotStatus); diff != "" && c.user == "dba" {
				t.Errorf("parameters at start-up: %s", diff)
			}
			for i, x := range c.script {
				if c.user != "dba" {
					want[i] = untold(want[i])
				}
				if diff := cmp.Diff(want[i], got[i]); diff != "" {
					t.Errorf("%s: %s", x.name, diff)
				}
			}
		})
	}
}

// untold takes out of errors what a governed role isn't told: a value in the
// message, and all fields behind it.
func untold(frames []string) []string {
	value, fields := regexp.MustCompile(`: \\"[^"]*\\"`), regexp.MustCompile(`(\\x00[WFLR][^\\]*)+\\x00\\x00"$`)
	for i, f := range frames {
		if strings.HasPrefix(f, "E ") {
			frames[i] = fields.ReplaceAllString(value.ReplaceAllString(f, ""), `\x00\x00"`)
		}
	}
	return frames
}

// play plays a script in a session of its own and gives the frames of each
// exchange, and the parameters that the login reported.
func play(t *testing.T, dsn string, script []exchange) (frames [][]string, status map[string]string) {
	t.Helper()
	s := hijack(t, dsn)
	for _, x := range script {
		frames = append(frames, s.converse(t, x.ready, x.messages...))
	}
	if err := s.conn.Close(); err != nil {
		t.Fatal(err)
	}
	return frames, s.status
}

// framesTable makes a table that both sessions write to: the number of a
// temporary one would differ between them.
func framesTable(t *testing.T, f *fixture) {
	t.Helper()
	direct := f.Direct(t)
	if _, err := direct.Exec(t.Context(), "create schema frames authorization "+company.Owner+"; create table frames.t (a int, b text); alter table frames.t owner to "+company.Owner); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := direct.Exec(context.Background(), "drop schema frames cascade"); err != nil {
			t.Error(err)
		}
	})
}
