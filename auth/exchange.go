package auth

import (
	"strings"

	"github.com/xdg-go/scram"
)

// Mechanism is the SASL mechanism that an [Exchange] speaks. Channel binding
// (SCRAM-SHA-256-PLUS) is not offered.
const Mechanism = "SCRAM-SHA-256"

// maxMessage bounds a SASL message in bytes. Real ones have a few hundred; we
// have no channel binding data, which could be longer.
const maxMessage = 4096

// Exchange is one SCRAM conversation, server side (RFC 5802). It is for one
// goroutine and one attempt.
type Exchange struct {
	user  string
	entry *entry // nil: the exchange runs against a mock and must fail
	conv  *scram.ServerConversation
	steps int
	won   bool
	ended bool
}

// Begin starts an exchange for the user named in the start-up message; the
// name inside the SCRAM messages is ignored, as Postgres ignores it. A user
// that doesn't exist gets an exchange too, which fails where a wrong password
// would.
func (s *Store) Begin(user string) *Exchange {
	x := &Exchange{user: user}
	credentials := mock(user)
	if e, ok := s.users[user]; ok && e.verifier != nil {
		x.entry, credentials = e, *e.verifier
	}
	// NewServer's only error is a nil hash function, which SHA256 has not.
	server, _ := scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) { return credentials, nil })
	x.conv = server.NewConversation()
	return x
}

// Step takes the client's message and returns the server's. done means that
// the client has proved itself and that server is its last message (v=…), to
// be sent in AuthenticationSASLFinal. Every error ends the exchange: a
// [Failure] (28P01) or a [Malformed] message (08P01).
func (x *Exchange) Step(client []byte) (server []byte, done bool, err error) {
	if x.ended {
		return nil, false, &Malformed{Reason: "The exchange has ended."}
	}
	x.steps++
	reply, err := x.step(string(client))
	if err != nil {
		x.ended = true
		return nil, false, err
	}
	if x.steps == 1 {
		return []byte(reply), false, nil
	}
	x.ended, x.won = true, true
	return []byte(reply), true, nil
}

// Principal is who the client proved to be. Before that it is the zero
// Principal, which has no role and so may do nothing.
func (x *Exchange) Principal() Principal {
	if !x.won {
		return Principal{}
	}
	return x.entry.principal()
}

func (x *Exchange) step(client string) (string, error) {
	if err := wellFormed(client); err != nil {
		return "", err
	}
	reply, err := x.conv.Step(client)
	switch {
	case err != nil && reply == scram.ErrInvalidProof:
		return "", &Failure{User: x.user}
	case err != nil:
		return "", &Malformed{Reason: reason(reply)}
	case x.conv.AuthzID() != "":
		return "", &Malformed{Reason: "The client uses an authorization identity, which is not supported."}
	case x.steps > 1 && (x.entry == nil || !x.conv.Valid()):
		return "", &Failure{User: x.user}
	}
	return reply, nil
}

// wellFormed checks what the SCRAM library leaves open and Postgres refuses.
func wellFormed(message string) error {
	switch {
	case message == "":
		return &Malformed{Reason: "The message is empty."}
	case len(message) > maxMessage:
		return &Malformed{Reason: "The message is too long."}
	case strings.ContainsRune(message, 0):
		return &Malformed{Reason: "Message length does not match input length."}
	}
	for _, field := range strings.Split(message, ",") {
		if nonce, ok := strings.CutPrefix(field, "r="); ok && !printable(nonce) {
			return &Malformed{Reason: "Non-printable characters in SCRAM nonce."}
		}
	}
	return nil
}

// printable is RFC 5802's value of a nonce: visible ASCII.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 0x21 || r > 0x7e })
}

// reason words the library's server error for people.
func reason(reply string) string {
	switch reply {
	case scram.ErrChannelBindingNotSupported:
		return "The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel binding data."
	case scram.ErrChannelBindingsDontMatch:
		return "SCRAM channel binding check failed."
	case scram.ErrOtherError:
		return "Nonce or proof does not match the exchange."
	case scram.ErrInvalidUsernameEncoding, scram.ErrInvalidEncoding:
		return "A name is not encoded as RFC 5802 says."
	}
	return "A field is missing, out of order or not supported."
}
