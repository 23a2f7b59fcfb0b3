package pgtest

import (
	"encoding/binary"

	"github.com/xdg-go/scram"

	"github.com/pgask/pgask/proxy/wire"
)

// Startup builds a start-up packet from names and values in turn.
func Startup(version uint32, params ...string) []byte {
	body := binary.BigEndian.AppendUint32(nil, version)
	for _, p := range params {
		body = append(append(body, p...), 0)
	}
	return Packet(append(body, 0))
}

// Packet puts a length in front of an initial packet's body.
func Packet(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...)
}

// SSLRequest asks for TLS.
func SSLRequest() []byte { return Packet([]byte{0x04, 0xd2, 0x16, 0x2f}) }

// GSSRequest asks for GSSAPI encryption.
func GSSRequest() []byte { return Packet([]byte{0x04, 0xd2, 0x16, 0x30}) }

// Authenticate answers the server's offer of SCRAM-SHA-256 with a proof.
func (p *Peer) Authenticate(password string) {
	p.t.Helper()
	p.Challenge(password)()
}

// Challenge answers the offer as far as the server's challenge; prove sends
// the proof.
func (p *Peer) Challenge(password string) (prove func()) {
	p.t.Helper()
	conv := p.scramFirst(password)
	challenge := p.Expect("R")[0][4:]
	return func() {
		p.t.Helper()
		final, err := conv.Step(string(challenge))
		if err != nil {
			p.t.Fatalf("SCRAM: %v", err)
		}
		p.Send(Frame(wire.Password, []byte(final)))
	}
}

func (p *Peer) scramFirst(password string) *scram.ClientConversation {
	p.t.Helper()
	client, err := scram.SHA256.NewClient("", password, "")
	if err != nil {
		p.t.Fatal(err)
	}
	conv := client.NewConversation()
	p.Expect("R")
	first, err := conv.Step("")
	if err != nil {
		p.t.Fatalf("SCRAM: %v", err)
	}
	p.Send(Frame(wire.Password, "SCRAM-SHA-256", int32(len(first)), []byte(first)))
	return conv
}

// Key is what a session is cancelled by.
type Key struct {
	PID    uint32
	Secret []byte
}

// Login starts a session and reads up to the first ReadyForQuery.
func (p *Peer) Login(password string, params ...string) Key {
	p.t.Helper()
	p.Send(Startup(wire.Version30, params...))
	p.Authenticate(password)
	return p.Welcome()
}

// Welcome reads from the server's last SASL message to ReadyForQuery.
func (p *Peer) Welcome() Key {
	p.t.Helper()
	p.Expect("RR")
	var key Key
	for {
		kind, body, err := p.read()
		switch {
		case err != nil:
			p.t.Fatalf("login: %v", err)
		case kind == wire.BackendKeyData && len(body) >= 8:
			key = Key{binary.BigEndian.Uint32(body), body[4:]}
		case kind == wire.ReadyForQuery:
			return key
		case kind != wire.ParameterStatus:
			p.t.Fatalf("login: came %q %q", kind, body)
		}
	}
}

// Query builds a Query.
func Query(text string) []byte { return Frame(wire.Query, text) }

// Parse builds a Parse without parameter types.
func Parse(name, text string) []byte { return Frame(wire.Parse, name, text, int16(0)) }

// Bind builds a Bind with parameters in text form.
func Bind(portal, statement string, values ...string) []byte {
	parts := []any{portal, statement, int16(0), int16(len(values))}
	for _, v := range values {
		parts = append(parts, int32(len(v)), []byte(v))
	}
	return Frame(wire.Bind, append(parts, int16(0))...)
}

// Describe builds a Describe of kind 'S' or 'P'.
func Describe(kind byte, name string) []byte { return Frame(wire.Describe, kind, name) }

// Execute builds an Execute of at most max rows, 0 for all.
func Execute(portal string, max int) []byte { return Frame(wire.Execute, portal, int32(max)) }

// Close builds a Close of kind 'S' or 'P'.
func Close(kind byte, name string) []byte { return Frame(wire.Close, kind, name) }

// Sync builds a Sync.
func Sync() []byte { return Frame(wire.Sync) }

// Flush builds a Flush.
func Flush() []byte { return Frame(wire.Flush) }

// Terminate builds a Terminate.
func Terminate() []byte { return Frame(wire.Terminate) }

// Cancel builds a CancelRequest.
func Cancel(k Key) []byte { return wire.AppendCancelRequest(nil, k.PID, k.Secret) }
