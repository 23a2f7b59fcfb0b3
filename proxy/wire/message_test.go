package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgproto3/v2"

	"github.com/pgask/pgask/proxy/wire"
)

// must fails the test for a message that can't be built.
func must(t testing.TB) func([]byte, error) []byte {
	return func(b []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

// TestBuild compares what is built with what pgproto3 builds.
func TestBuild(t *testing.T) {
	ok := must(t)
	bound, err := wire.ParseBind(ok((&pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s", ResultFormatCodes: []int16{1, 0, 1}}).Encode(nil))[5:])
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		got  []byte
		want pgproto3.Message
	}{
		{"Query", ok(wire.AppendQuery(nil, "select 1")), &pgproto3.Query{String: "select 1"}},
		{"Parse", ok(wire.AppendParse(nil, "n", "select $1", []uint32{23, 25})), &pgproto3.Parse{Name: "n", Query: "select $1", ParameterOIDs: []uint32{23, 25}}},
		{"Bind", ok(wire.AppendBind(nil, bound, "value")), &pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s", Parameters: [][]byte{[]byte("value")}, ResultFormatCodes: []int16{1, 0, 1}}},
		{"empty Bind", ok(wire.AppendBindNothing(nil, "p", "s")), &pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s"}},
		{"Bind of texts", ok(wire.AppendBindTexts(nil, "p", "s", "a", "")), &pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s", Parameters: [][]byte{[]byte("a"), {}}}},
		{"Parse of another's", ok(wire.AppendParseOf(nil, "n", "select $1\x00\x00\x01\x00\x00\x00\x17")), &pgproto3.Parse{Name: "n", Query: "select $1", ParameterOIDs: []uint32{23}}},
		{"Sync", wire.AppendSync(nil), &pgproto3.Sync{}},
		{"Describe", ok(wire.AppendDescribe(nil, 'S', "s")), &pgproto3.Describe{ObjectType: 'S', Name: "s"}},
		{"Execute", ok(wire.AppendExecute(nil, "p")), &pgproto3.Execute{Portal: "p"}},
		{"ParameterDescription", wire.AppendNoParameters(nil), &pgproto3.ParameterDescription{}},
		{"CommandComplete", ok(wire.AppendCommandComplete(nil, "SELECT 3")), &pgproto3.CommandComplete{CommandTag: []byte("SELECT 3")}},
		{"DataRow", ok(wire.AppendDataRow(nil, []byte("a"))), &pgproto3.DataRow{Values: [][]byte{[]byte("a")}}},
		{"ParameterStatus", ok(wire.AppendParameterStatus(nil, "a", "b")), &pgproto3.ParameterStatus{Name: "a", Value: "b"}},
		{"BackendKeyData", ok(wire.AppendBackendKeyData(nil, 7, []byte{0, 0, 0, 9})), &pgproto3.BackendKeyData{ProcessID: 7, SecretKey: 9}},
		{"ReadyForQuery", wire.AppendReadyForQuery(nil, 'T'), &pgproto3.ReadyForQuery{TxStatus: 'T'}},
		{"AuthenticationOk", wire.AppendAuthenticationOK(nil), &pgproto3.AuthenticationOk{}},
		{"AuthenticationSASL", ok(wire.AppendAuthenticationSASL(nil, "SCRAM-SHA-256")), &pgproto3.AuthenticationSASL{AuthMechanisms: []string{"SCRAM-SHA-256"}}},
		{"AuthenticationSASLContinue", wire.AppendAuthenticationSASLData(nil, []byte("r="), false), &pgproto3.AuthenticationSASLContinue{Data: []byte("r=")}},
		{"AuthenticationSASLFinal", wire.AppendAuthenticationSASLData(nil, []byte("v="), true), &pgproto3.AuthenticationSASLFinal{Data: []byte("v=")}},
		{"CancelRequest", wire.AppendCancelRequest(nil, 7, []byte{0, 0, 0, 9}), &pgproto3.CancelRequest{ProcessID: 7, SecretKey: 9}},
		{"ErrorResponse", wire.AppendErrorResponse(nil, wire.Report{Severity: "ERROR", Code: "42501", Message: "m", Detail: "d", Hint: "h"}),
			&pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "42501", Message: "m", Detail: "d", Hint: "h"}},
		{"NoticeResponse", wire.AppendNoticeResponse(nil, wire.Report{Severity: "NOTICE", Code: "00000", Message: "m"}),
			&pgproto3.NoticeResponse{Severity: "NOTICE", SeverityUnlocalized: "NOTICE", Code: "00000", Message: "m"}},
	}
	for _, test := range tests {
		if want := ok(test.want.Encode(nil)); !bytes.Equal(test.got, want) {
			t.Errorf("%s: got %q, want %q", test.name, test.got, want)
		}
	}
}

// TestMisfits: nothing that would forge a field or a message is built.
func TestMisfits(t *testing.T) {
	before := []byte("before")
	for name, build := range map[string]func([]byte) ([]byte, error){
		"Query":                    func(b []byte) ([]byte, error) { return wire.AppendQuery(b, "select 1\x00") },
		"Parse name":               func(b []byte) ([]byte, error) { return wire.AppendParse(b, "a\x00b", "", nil) },
		"Parse types":              func(b []byte) ([]byte, error) { return wire.AppendParse(b, "", "", make([]uint32, 65536)) },
		"CommandComplete":          func(b []byte) ([]byte, error) { return wire.AppendCommandComplete(b, "\x00") },
		"ParameterStatus":          func(b []byte) ([]byte, error) { return wire.AppendParameterStatus(b, "a", "\x00") },
		"Bind of texts":            func(b []byte) ([]byte, error) { return wire.AppendBindTexts(b, "", "", "a\x00") },
		"Parse of another's":       func(b []byte) ([]byte, error) { return wire.AppendParseOf(b, "a\x00", "") },
		"no key":                   func(b []byte) ([]byte, error) { return wire.AppendBackendKeyData(b, 1, nil) },
		"long key":                 func(b []byte) ([]byte, error) { return wire.AppendBackendKeyData(b, 1, make([]byte, 257)) },
		"NegotiateProtocolVersion": func(b []byte) ([]byte, error) { return wire.AppendNegotiateProtocolVersion(b, 1, []string{"\x00"}) },
	} {
		got, err := build(bytes.Clone(before))
		if !errors.Is(err, wire.ErrUnfit) || !bytes.Equal(got, before) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	long := wire.AppendErrorResponse(nil, wire.Report{Severity: "ERROR", Code: "XX000", Message: "a\x00b" + strings.Repeat("é", 40000) + "\xff"})
	var decoded pgproto3.ErrorResponse
	if err := decoded.Decode(long[5:]); err != nil || !strings.HasPrefix(decoded.Message, "a�bé") || len(decoded.Message) > 33000 {
		t.Errorf("%v, %d bytes", err, len(decoded.Message))
	}
}

func TestDecode(t *testing.T) {
	ok := must(t)
	parse, err := wire.ParseParse(ok((&pgproto3.Parse{Name: "n", Query: "q", ParameterOIDs: []uint32{1, 1 << 31}}).Encode(nil))[5:])
	if err != nil || string(parse.Name) != "n" || string(parse.Text) != "q" || !reflect.DeepEqual(parse.OIDs(), []uint32{1, 1 << 31}) {
		t.Errorf("Parse: %+v, %v", parse, err)
	}
	body := ok((&pgproto3.Bind{DestinationPortal: "p", PreparedStatement: "s", ParameterFormatCodes: []int16{1}, Parameters: [][]byte{nil, {}, []byte("x")}}).Encode(nil))[5:]
	bind, err := wire.ParseBind(body)
	if err != nil || string(bind.Portal) != "p" || string(bind.Statement) != "s" || bind.Params != 3 {
		t.Errorf("Bind: %+v, %v", bind, err)
	}
	for cut := range body {
		if _, err := wire.ParseBind(body[:cut]); err == nil {
			t.Errorf("Bind cut at %d was taken", cut)
		}
	}
	// A negative length other than -1 must not be used.
	if _, err := wire.ParseBind([]byte("\x00\x00\x00\x00\x00\x01\xff\xff\xff\xfe\x00\x00")); err == nil {
		t.Error("a length of -2 was taken")
	}
	r := wire.ParseReport(wire.AppendErrorResponse(nil, wire.Report{Severity: "FATAL", Code: "57P01", Message: "m", Hint: "h"})[5:])
	if diff := cmp.Diff(wire.Report{Severity: "FATAL", Code: "57P01", Message: "m", Hint: "h"}, r); diff != "" {
		t.Error(diff)
	}
}

func TestReadStartup(t *testing.T) {
	rest := []byte("not ours")
	in := append(must(t)((&pgproto3.StartupMessage{ProtocolVersion: wire.Version30, Parameters: map[string]string{"user": "ana", "_pq_.x": "1"}}).Encode(nil)), rest...)
	src := bytes.NewReader(in)
	s, err := wire.ReadStartup(src)
	if err != nil || s.Kind != wire.StartupSession || s.Params["user"] != "ana" || len(s.Params) != 1 || !reflect.DeepEqual(s.Options, []string{"_pq_.x"}) {
		t.Errorf("%+v, %v", s, err)
	}
	if left, _ := io.ReadAll(src); !bytes.Equal(left, rest) {
		t.Errorf("left %q", left)
	}
	if _, err := wire.ReadStartup(strings.NewReader("\x00\x00\x00\x08\x00")); err != io.ErrUnexpectedEOF {
		t.Errorf("half a packet: %v", err)
	}
}

// FuzzStartup: whatever arrives is taken or refused, and what is taken is what
// pgproto3 takes.
func FuzzStartup(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x08\x04\xd2\x16\x2f"))
	f.Add(must(f)((&pgproto3.StartupMessage{ProtocolVersion: wire.Version30, Parameters: map[string]string{"user": "ana"}}).Encode(nil)))
	f.Add([]byte("\x00\x00\x00\x09\x00\x03\x00\x00\x00"))
	f.Add(must(f)((&pgproto3.CancelRequest{ProcessID: 1, SecretKey: 2}).Encode(nil)))
	f.Fuzz(func(t *testing.T, in []byte) {
		s, err := wire.ReadStartup(bytes.NewReader(in))
		if err != nil || s.Kind != wire.StartupSession || s.Version != wire.Version30 {
			return
		}
		if len(s.Params)+len(s.Options) == 0 {
			return // well-formed to Postgres, which misses a user only then; pgproto3 wants a parameter
		}
		var other pgproto3.StartupMessage
		if err := other.Decode(in[4:binary.BigEndian.Uint32(in)]); err != nil {
			t.Fatalf("taken: %+v; pgproto3: %v", s, err)
		}
		if len(s.Params)+len(s.Options) < len(other.Parameters) {
			t.Fatalf("%+v, %+v", s, other)
		}
	})
}

// FuzzBodies: no body makes a decoder panic.
func FuzzBodies(f *testing.F) {
	f.Add([]byte("a\x00b\x00\x00\x01\x00\x01\x00\x01\x00\x00\x00\x01x\x00\x00"))
	f.Fuzz(func(_ *testing.T, body []byte) {
		_, _ = wire.QueryText(body)
		if p, err := wire.ParseParse(body); err == nil {
			p.OIDs()
		}
		if b, err := wire.ParseBind(body); err == nil {
			_, _ = wire.AppendBind(nil, b, "v")
		}
		_, _, _ = wire.BindNames(body)
		_, _, _ = wire.Target(body)
		_, _ = wire.ExecutePortal(body)
		_, _, _ = wire.SASLInitial(body)
		wire.ParseReport(body)
	})
}
