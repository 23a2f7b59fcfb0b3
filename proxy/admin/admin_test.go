package admin_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/admin"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/pool"
	"github.com/pgask/pgask/proxy/wire"
)

// open starts a session with a console of one database without a server.
func open(t *testing.T, change func(*admin.Console)) (*pgtest.Peer, *proxy.Backend) {
	t.Helper()
	db := configs.Database{Name: "acme", DSN: "host=127.0.0.1 port=1 user=me", Pool: configs.Pool{Mode: "session", Size: 3}}
	p, err := pool.New(db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	c := &admin.Console{Log: slog.New(slog.DiscardHandler), Version: "1",
		Databases: []admin.Database{{Name: "acme", Host: "127.0.0.1", Port: 1, Login: "me", Settings: db.Pool, Pool: p}},
		Config:    []configs.Setting{{Key: "a", Value: "1"}, {Key: "b", Value: "2"}, {Key: "c", Value: "3"}},
		Clients: func() []proxy.Client {
			return []proxy.Client{{PID: 7, User: "ana", Remote: &net.TCPAddr{}, Since: time.Unix(0, 0)}}
		},
		Kill: func(pid uint32) bool { return pid == 7 }, Reload: func() ([]string, error) { return nil, nil }, Shutdown: func(bool) {}}
	if change != nil {
		change(c)
	}
	b, err := c.Connect("dba", map[string]string{"application_name": "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Release)
	if b.ParameterStatuses["application_name"] != "test" || b.ParameterStatuses["client_encoding"] != "UTF8" {
		t.Errorf("parameters %v", b.ParameterStatuses)
	}
	return pgtest.On(t, b.Conn), b
}

func TestSimple(t *testing.T) {
	p, _ := open(t, nil)
	for _, c := range []struct{ text, kinds, code string }{
		{"SHOW CONFIG", "TDDDCZ", ""},
		{"select * from config; show \"help\"", "TDDDCTDDDDDDDDDDDDDDCZ", ""},
		{" /* nothing */ ; -- at all", "IZ", ""},
		{"PAUSE; RESUME 'acme'; reconnect \"acme\"", "CCCZ", ""},
		{"KILL_CLIENT 7;", "CZ", ""},
		{"KILL_CLIENT 8", "EZ", "42704"},
		{"KILL_CLIENT x", "EZ", "22P02"},
		{"PAUSE acme2", "EZ", "3D000"},
		{"PAUSE a b", "EZ", "42601"},
		{"SHOW CONFIG; nonsense; SHOW VERSION", "TDDDCEZ", "42601"},
		{"SHOW 'CONFIG", "EZ", "42601"},
		{"\"pause\"", "EZ", "42601"},
		{"set extra_float_digits = 3", "CZ", ""},
		{"set role = x", "EZ", "42601"},
	} {
		p.Send(pgtest.Query(c.text))
		var kinds, code string
		for !strings.HasSuffix(kinds, "Z") {
			kind := p.Peek()
			kinds += string(kind)
			body := p.Expect(string(kind))[0]
			if kind == wire.ErrorResponse {
				code = wire.ParseReport(body).Code
			}
		}
		if kinds != c.kinds || code != c.code {
			t.Errorf("%s: %s %s, want %s %s", c.text, kinds, code, c.kinds, c.code)
		}
	}
}

func TestExtended(t *testing.T) {
	p, _ := open(t, nil)
	p.Send(pgtest.Parse("s", "SHOW CONFIG"), pgtest.Describe('S', "s"), pgtest.Bind("p", "s"), pgtest.Describe('P', "p"),
		pgtest.Execute("p", 2), pgtest.Execute("p", 2), pgtest.Flush())
	p.Expect("1tT2TDDsDC")
	p.Send(pgtest.Sync())
	p.Expect("Z")
	// An error skips to Sync; the portal is gone with the implicit transaction.
	p.Send(pgtest.Execute("p", 0), pgtest.Parse("x", "RELOAD"), pgtest.Sync())
	p.ExpectError("34000")
	p.Expect("Z")
	p.Send(pgtest.Bind("", "x"), pgtest.Query("SHOW VERSION"), pgtest.Frame(wire.FunctionCall, int32(1), int16(0), int16(0), int16(0)), pgtest.Sync())
	p.ExpectError("26000")
	p.Expect("Z")
	p.Send(pgtest.Parse("", "PAUSE; RESUME"), pgtest.Sync(), pgtest.Bind("", "s", "a parameter"), pgtest.Sync(), pgtest.Parse("s", "RELOAD"), pgtest.Sync(),
		pgtest.Frame(wire.Bind, "", "s", int16(1), int16(7), int16(0), int16(1), int16(9)), pgtest.Sync())
	for _, code := range []string{"42601", "08P01", "42P05", "22023"} {
		p.ExpectError(code)
		p.Expect("Z")
	}
	p.Send(pgtest.Parse("", ""), pgtest.Bind("", ""), pgtest.Describe('P', ""), pgtest.Execute("", 0), pgtest.Close('S', "s"), pgtest.Sync(),
		pgtest.Frame(wire.FunctionCall, int32(1), int16(0), int16(0), int16(0)))
	p.Expect("12nI3ZEZ")
	p.Send(pgtest.Parse("", "SHOW CLIENTS"), pgtest.Frame(wire.Bind, "", "", int16(0), int16(0), int16(1), int16(1)), pgtest.Execute("", 0), pgtest.Sync())
	row := p.Expect("12DCZ")[2]
	if want := []byte{0, 10, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 3, 'a', 'n', 'a'}; !slices.Equal(row[:len(want)], want) {
		t.Errorf("a row in binary: %v", row)
	}
}

// TestReloadNotice: what a reload leaves as it was is said to who asked for it.
func TestReloadNotice(t *testing.T) {
	var keys []string
	p, _ := open(t, func(c *admin.Console) { c.Reload = func() ([]string, error) { return keys, nil } })
	p.Send(pgtest.Query("RELOAD"))
	p.Expect("CZ")
	keys = []string{"limits.clients", "databases.acme"}
	p.Send(pgtest.Query("RELOAD"), pgtest.Parse("", "RELOAD"), pgtest.Bind("", ""), pgtest.Execute("", 0), pgtest.Sync())
	notices := p.Expect("NCZ12NCZ")
	for _, i := range []int{0, 5} {
		if got := string(wire.Field(notices[i], 'M')); got != "changed in pgask.yaml, takes a restart: limits.clients, databases.acme" {
			t.Errorf("%q", got)
		}
	}
}

// TestTransaction: drivers begin one and want to hear of it.
func TestTransaction(t *testing.T) {
	p, _ := open(t, nil)
	for _, c := range []struct {
		text   string
		code   string
		status byte
	}{{"BEGIN", "", 'T'}, {"KILL_CLIENT 7", "", 'T'}, {"nonsense", "42601", 'E'}, {"RELOAD", "25P02", 'E'}, {"ROLLBACK", "", 'I'}} {
		p.Send(pgtest.Query(c.text))
		if c.code == "" {
			p.Expect("C")
		} else {
			p.ExpectError(c.code)
		}
		if got := p.Expect("Z")[0][0]; got != c.status {
			t.Errorf("%s: %c", c.text, got)
		}
	}
}

// written is a log that a test reads line by line.
type written chan string

func (w written) Write(line []byte) (int, error) {
	w <- string(line)
	return len(line), nil
}

// TestLogged: the log has the commands, and no other text that is sent.
func TestLogged(t *testing.T) {
	log := make(written, 1)
	p, _ := open(t, func(c *admin.Console) { c.Log = slog.New(slog.NewTextHandler(log, nil)) })
	for text, want := range map[string]string{"PAUSE acme": `command="pause acme"`, "set application_name = 'hush'": "command=SET", "commit hush": "command=COMMIT"} {
		p.Send(pgtest.Query(text))
		if line := <-log; !strings.Contains(line, want) || strings.Contains(line, "hush") || strings.Contains(line, "error=") {
			t.Error(line)
		}
		p.Expect("CZ")
	}
}

// TestHostile: frames that are too long, or none, end the session and nothing
// else.
func TestHostile(t *testing.T) {
	p, _ := open(t, nil)
	p.Send(pgtest.Frame(wire.Query, strings.Repeat("x", 70_000))[:5])
	p.ExpectError("54000")
	p.ExpectEnd()
	for _, bytes := range [][]byte{{'?', 0, 0, 0, 4}, {'Q', 0, 0, 0, 0}, {'B', 0, 0, 0, 5, 0}, {'P', 0xff, 0xff, 0xff, 0xff}} {
		p, _ := open(t, nil)
		p.Send(bytes)
		p.ExpectError("08P01")
		p.ExpectEnd()
	}
}

// TestCancel: PAUSE waits for a pool of transactions to be quiet, and a cancel
// request ends that; where nothing waits, it does nothing.
func TestCancel(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	port := silent.Addr().(*net.TCPAddr).Port
	busy, err := pool.New(configs.Database{Name: "acme", DSN: fmt.Sprintf("host=127.0.0.1 port=%d user=me sslmode=disable", port),
		Pool: configs.Pool{Mode: "transaction", Size: 1, Wait: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	busy.Borrow(ctx, pool.Request{}, func(*pool.Backend, error) {})
	if conn, err := silent.Accept(); err != nil { // it is being dialled
		t.Fatal(err)
	} else {
		defer conn.Close()
	}
	p, b := open(t, func(c *admin.Console) { c.Databases[0].Pool = busy })
	p.Send(pgtest.Query("PAUSE"))
	for busy.State() != "paused" {
		runtime.Gosched()
	}
	for busy.State() == "paused" { // a request may come before the waiting has begun
		if err := b.Cancel(t.Context()); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
	p.ExpectError("57014")
	p.Expect("Z")
	if err := b.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	p.Send(pgtest.Query("SHOW VERSION"))
	p.Expect("TDCZ")
}
