package auth

import (
	"slices"
	"strings"

	"github.com/xdg-go/scram"
)

// The SASL mechanisms that an [Exchange] speaks. The second is bound to the TLS
// connection.
const (
	Mechanism     = "SCRAM-SHA-256"
	MechanismPlus = "SCRAM-SHA-256-PLUS"
)

// maxMessage bounds a SASL message in bytes. Real ones have a few hundred,
// channel binding data included.
const maxMessage = 4096

// Exchange is one SCRAM conversation, server side (RFC 5802). It is for one
// goroutine and one attempt.
type Exchange struct {
	user  string
	entry *entry // nil: the exchange runs against a mock and must fail
	cause error  // why it will have failed
	conv  *scram.ServerConversation
	binds bool // a binding is offered
	plus  bool // the client has chosen it
	steps int
	won   bool
	ended bool
}

// Begin starts an exchange for the user named in the start-up message; the
// name inside the SCRAM messages is ignored, as Postgres ignores it. A user
// that doesn't exist gets an exchange too, which fails where a wrong password
// would.
func (s *Store) Begin(user string, b Binding) *Exchange {
	x := &Exchange{user: user, binds: b.channel.IsSupported()}
	credentials := s.credentials(x)
	// NewServer's only error is a nil hash function, which SHA256 has not.
	server, _ := s.hash.NewServer(func(string) (scram.StoredCredentials, error) { return credentials, nil })
	x.conv = server.NewConversationWithChannelBinding(b.channel)
	return x
}

// credentials are what the exchange's user is asked to prove. The mock is
// computed for everybody, so that it takes no time of its own.
func (s *Store) credentials(x *Exchange) scram.StoredCredentials {
	mock := s.mock(x.user)
	switch e, ok := s.users[x.user]; {
	case !ok:
		x.cause = errNoUser
	case e.verifier == nil:
		x.cause = errNoPassword
	case e.expired():
		// Asked as ever, with keys that no password has.
		x.cause, mock.KeyFactors = errExpired, e.verifier.KeyFactors
	default:
		x.entry, x.cause = e, errWrongPassword
		return *e.verifier
	}
	return mock
}

// Mechanisms are what to offer the client, the better first.
func (x *Exchange) Mechanisms() []string {
	if x.binds {
		return []string{MechanismPlus, Mechanism}
	}
	return []string{Mechanism}
}

// Choose takes the mechanism that the client has named with its first message.
// The error, for one that was not offered, is [Malformed] (08P01).
func (x *Exchange) Choose(mechanism string) error {
	if !slices.Contains(x.Mechanisms(), mechanism) {
		return errMechanism
	}
	x.plus = mechanism == MechanismPlus
	return nil
}

// Step takes the client's message and returns the server's. done means that
// the client has proved itself and that server is its last message (v=…), to
// be sent in AuthenticationSASLFinal. Every error ends the exchange: a
// [Failure] (28P01), a [Malformed] message (08P01) or a channel that isn't the
// one the client means, [Unbound] (28000).
func (x *Exchange) Step(client []byte) (server []byte, done bool, err error) {
	if x.ended {
		return nil, false, malformed("The exchange has ended.")
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
	if x.steps == 1 {
		if err := x.fits(client); err != nil {
			return "", err
		}
	}
	reply, err := x.conv.Step(client)
	switch {
	case err != nil && reply == scram.ErrInvalidProof:
		return "", &Failure{User: x.user, cause: x.cause}
	case err != nil && reply == scram.ErrServerDoesSupportChannelBinding:
		return "", errDowngrade
	case err != nil && reply == scram.ErrChannelBindingsDontMatch && x.plus:
		return "", errOtherChannel
	case err != nil:
		return "", malformed(reason(reply))
	case x.conv.AuthzID() != "":
		return "", malformed("The client uses an authorization identity, which is not supported.")
	case x.steps > 1 && (x.entry == nil || !x.conv.Valid()):
		return "", &Failure{User: x.user, cause: x.cause}
	}
	return reply, nil
}

// fits checks that a first message's flag (RFC 5802, gs2-cbind-flag) is of the
// mechanism that was chosen: the library knows of no mechanisms.
func (x *Exchange) fits(first string) error {
	switch bound := strings.HasPrefix(first, "p="); {
	case x.plus && !bound:
		return malformed("The client selected SCRAM-SHA-256-PLUS, but the SCRAM message does not include channel binding data.")
	case bound && !x.plus:
		return malformed(reason(scram.ErrChannelBindingNotSupported))
	}
	return nil
}

// wellFormed checks what the SCRAM library leaves open and Postgres refuses.
func wellFormed(message string) error {
	switch {
	case message == "":
		return malformed("The message is empty.")
	case len(message) > maxMessage:
		return malformed("The message is too long.")
	case strings.ContainsRune(message, 0):
		return malformed("Message length does not match input length.")
	}
	for _, field := range strings.Split(message, ",") {
		if nonce, ok := strings.CutPrefix(field, "r="); ok && !printable(nonce) {
			return malformed("Non-printable characters in SCRAM nonce.")
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
	case scram.ErrUnsupportedChannelBindingType:
		return "The channel binding type is not tls-server-end-point."
	case scram.ErrOtherError:
		return "Nonce or proof does not match the exchange."
	case scram.ErrInvalidUsernameEncoding, scram.ErrInvalidEncoding:
		return "A name is not encoded as RFC 5802 says."
	}
	return "A field is missing, out of order or not supported."
}
