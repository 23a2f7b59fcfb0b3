package integration

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/pgask/pgask/integration/record"
	"github.com/pgask/pgask/proxy/pgtest"
)

// TestHostileLogin meets backends that misbehave before a session begins. The
// client hears one error and another session goes on.
func TestHostileLogin(t *testing.T) {
	b := listenScripted(t)
	p := serveOver(t, passageOptions{backend: b.addr, dsn: "&connect_timeout=1"})
	bystander := p.login(t, "bystander")
	ok := pgtest.Frame('R', 0)
	refused := []string{"57P03", "08006", "08P01", "08001"}
	for name, c := range map[string]struct {
		script script
		codes  []string
	}{
		"negative length":           {atLogin(length('R', -1)), refused},
		"length less than itself":   {atLogin(length('R', 3)), refused},
		"length over 1 GiB":         {atLogin(length('R', 1<<30+5), []byte("x")), refused},
		"unknown frame":             {atLogin(pgtest.Frame('!', "what")), refused},
		"rows":                      {atLogin(pgtest.Row("a"), welcome()), refused},
		"unknown authentication":    {atLogin(pgtest.Frame('R', 99)), refused},
		"authentication cut short":  {atLogin(pgtest.Frame('R', []byte{0, 0})), refused},
		"key cut short":             {atLogin(ok, pgtest.Frame('K', []byte{1}), pgtest.Ready('I')), refused},
		"parameter without an end":  {atLogin(ok, pgtest.Frame('S', []byte("server_version"))), refused},
		"ready without a status":    {atLogin(ok, pgtest.Frame('Z')), refused},
		"negotiation twice":         {atLogin(pgtest.Frame('v', 0x30000, 0), pgtest.Frame('v', 0x30000, 0), welcome()), append(refused, "")},
		"negotiation of nonsense":   {atLogin(pgtest.Frame('v', 0x30000, 0x7fffffff)), refused},
		"error without an SQLSTATE": {atLogin(pgtest.Frame('E', []byte("SFATAL\x00Mgo away\x00\x00"))), append(refused, "XX000")},
		"error without fields":      {atLogin(pgtest.Frame('E', []byte{0})), append(refused, "XX000")},
		"error cut short":           {atLogin(pgtest.Frame('E', []byte("SFATAL\x00C28"))), append(refused, "XX000")},
		"Postgres's own refusal":    {atLogin(pgtest.Error("FATAL", "53300", "too many")), []string{"53300"}},
		"nothing but the end":       {func(net.Conn) {}, refused},
		"reset":                     {reset, refused},
		"silence":                   {atLogin(), []string{"57P03", "57014"}},
		"silence in authentication": {atLogin(pgtest.Frame('R', 10, "SCRAM-SHA-256", "")), []string{"57P03", "57014"}},
		"silence after it":          {atLogin(ok, pgtest.Frame('S', "server_version", "15.0")), []string{"57P03", "57014"}},
	} {
		t.Run(name, func(t *testing.T) {
			p.recover(t)
			b.on(name, c.script)
			client := p.authenticated(t, name)
			if name == "negotiation twice" {
				// Being let in is as good, if what is said then is a login.
				if frames, _ := loginFrames(client); len(errorsOf(frames)) == 0 {
					answers(t, bystander)
					return
				}
			}
			expectEnd(t, client, c.codes...)
			answers(t, bystander)
		})
	}
}

// loginFrames reads up to ReadyForQuery or the end.
func loginFrames(peer *pgtest.Peer) (frames []record.Frame, err error) {
	for {
		f, err := record.Read(peer.Conn(), record.Server, true)
		if err != nil {
			return frames, err
		}
		frames = append(frames, f)
		if f.Kind == 'Z' || f.Kind == 'E' {
			return frames, nil
		}
	}
}

// TestOddLogin meets backends that are odd before a session begins, but within
// the protocol.
func TestOddLogin(t *testing.T) {
	b := listenScripted(t)
	p := serveOver(t, passageOptions{backend: b.addr})
	notice := pgtest.Frame('N', []byte("SNOTICE\x00C00000\x00Mhello\x00\x00"))
	ok := pgtest.Frame('R', 0)
	version := pgtest.Frame('S', "server_version", "15.0")
	for name, login := range map[string][][]byte{
		"notice before authentication": {notice, welcome()},
		"notice after it":              {ok, notice, version, notice, pgtest.Frame('K', 1, 2), pgtest.Ready('I')},
		"no key":                       {ok, version, pgtest.Ready('I')},
		"parameters before the end":    {version, ok, pgtest.Frame('K', 1, 2), version, pgtest.Ready('I')},
	} {
		t.Run(name, func(t *testing.T) {
			b.on(name, func(conn net.Conn) {
				if _, err := conn.Write(join(login...)); err != nil {
					return
				}
				afterLogin(conn)
			})
			client := p.authenticated(t, name)
			frames, err := loginFrames(client)
			if err != nil || len(errorsOf(frames)) > 0 {
				t.Fatalf("login: %q, errors %q, %v", kindsOf(frames), errorsOf(frames), err)
			}
			for _, f := range frames {
				if f.Kind == 'K' && len(f.Body) < 8 {
					t.Errorf("a key of %d bytes", len(f.Body)-4)
				}
			}
			answers(t, client)
		})
	}
}

// TestHostileSession meets backends that misbehave in a session: the client is
// told once, or hears the end, and never half a frame with an error inside.
func TestHostileSession(t *testing.T) {
	b := listenScripted(t)
	p := serveOver(t, passageOptions{backend: b.addr})
	bystander := p.login(t, "bystander")
	columns, done := pgtest.Columns("a"), pgtest.Complete("SELECT 0")
	for name, c := range map[string]struct {
		// unbearable: pgask ends the session. Otherwise the backend does, when
		// it has said this.
		unbearable bool
		answer     []byte
	}{
		"negative length":               {true, join(columns, length('D', -5))},
		"length less than itself":       {true, join(columns, length('D', 0))},
		"length over 1 GiB":             {true, join(columns, length('D', 1<<30+5), []byte("x"))},
		"largest length":                {true, join(columns, length('D', 0x7fffffff), []byte("x"))},
		"a large frame that ends early": {false, join(length('E', 1<<29), []byte("x"))},
		"unknown frame":                 {false, pgtest.Frame(1, "what")},
		"ready that nobody asked for":   {false, join(done, pgtest.Ready('I'), pgtest.Ready('I'))},
		"ready with an unknown status":  {false, join(done, pgtest.Ready('?'))},
		"ready without a status":        {false, join(done, pgtest.Frame('Z'))},
		"authentication":                {false, pgtest.Frame('R', 0)},
		"frames of another protocol":    {false, join(pgtest.Frame('1'), pgtest.Frame('2'), pgtest.Frame('s'), pgtest.Frame('t', int16(0)))},
		"negative field":                {false, join(columns, pgtest.Frame('D', int16(1), -7))},
		"parameter without an end":      {false, join(pgtest.Frame('S', []byte("TimeZone")), pgtest.Ready('I'))},
		"parameter without a value":     {false, join(pgtest.Frame('S', "TimeZone"), pgtest.Ready('I'))},
		"error without an SQLSTATE":     {false, join(pgtest.Frame('E', []byte("SERROR\x00Mno\x00\x00")), pgtest.Ready('I'))},
		"error without fields":          {false, join(pgtest.Frame('E', []byte{0}), pgtest.Ready('I'))},
		"empty error":                   {false, join(pgtest.Frame('E'), pgtest.Ready('I'))},
		"copy both":                     {false, pgtest.Frame('W', []byte{0, 0, 0})},
		"half a row":                    {false, join(columns, pgtest.Row("abcdefgh")[:9])},
		"half a header":                 {false, join(columns, pgtest.Row("abcdefgh")[:3])},
	} {
		t.Run(name, func(t *testing.T) {
			b.on(name, atQuery(c.answer, c.unbearable))
			client := p.login(t, name)
			client.Send(pgtest.Query("select 1"))
			frames, _ := ending(t, client)
			own := errorsOf(frames)
			if bytes.Contains(c.answer, []byte("E\x00")) && len(own) > 0 && len(own[0]) != 5 {
				own = own[1:] // the backend's
			}
			if len(own) > 1 || (len(own) == 1 && !slices.Contains([]string{"08P01", "08006", "XX000"}, own[0])) {
				t.Errorf("ends with %q, errors %q", kindsOf(frames), own)
			}
			answers(t, bystander)
			answers(t, p.login(t, "afterwards"))
		})
	}
}

// TestResetBackend: a backend's connection breaks in mid-row, between two rows
// and while idle.
func TestResetBackend(t *testing.T) {
	b := listenScripted(t)
	p := serveOver(t, passageOptions{backend: b.addr})
	bystander := p.login(t, "bystander")
	row := pgtest.Row("abcdefgh")
	for name, answer := range map[string][]byte{
		"in mid-row": join(pgtest.Columns("a"), row, row[:9]), "between rows": join(pgtest.Columns("a"), row),
		"before the answer": nil, "idle": join(pgtest.Complete("SELECT 0"), pgtest.Ready('I')),
	} {
		t.Run(name, func(t *testing.T) {
			arrived := make(chan struct{})
			b.on(name, func(conn net.Conn) {
				if _, err := conn.Write(welcome()); err != nil {
					return
				}
				if _, err := record.Read(conn, record.Client, true); err != nil {
					return
				}
				_, _ = conn.Write(answer)
				<-arrived
				reset(conn)
			})
			client := p.login(t, name)
			client.Send(pgtest.Query("select 1"))
			if len(answer) > 0 {
				client.ExpectBytes(answer[:5])
				_, _ = io.CopyN(io.Discard, client.Conn(), int64(binary.BigEndian.Uint32(answer[1:5])-4))
			}
			close(arrived)
			frames, clean := ending(t, client)
			if got := errorsOf(frames); len(got) > 1 || (clean && !slices.Equal(got, []string{"08006"})) || (!clean && len(got) > 0) {
				t.Errorf("ends with %q, errors %q, between frames: %v", kindsOf(frames), got, clean)
			}
			answers(t, bystander)
		})
	}
}
