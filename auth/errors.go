package auth

import (
	"errors"
	"fmt"
)

// Failure is a login that was refused. A wrong password and an unknown user
// give the same Failure at the same step, so that nobody can find out which
// names exist.
type Failure struct {
	User string
	// cause is for the log.
	cause error
}

// Why a login failed.
var (
	errWrongPassword = errors.New("wrong password")
	errNoUser        = errors.New("there is no such user")
	errNoPassword    = errors.New("the user has no password")
	errExpired       = errors.New("the user has expired")
)

// Unwrap is why it failed, which the client is not told.
func (f *Failure) Unwrap() error { return f.cause }

// Error is Postgres's own text.
func (f *Failure) Error() string {
	return fmt.Sprintf("password authentication failed for user %q", f.User)
}

// SQLState is invalid_password.
func (f *Failure) SQLState() string { return "28P01" }

// Malformed is a SASL message that breaks RFC 5802: the fault of the client's
// driver, not of a password.
type Malformed struct {
	Message string
	Reason  string
}

func malformed(reason string) *Malformed {
	return &Malformed{Message: "malformed SCRAM message", Reason: reason}
}

// errMechanism is a mechanism that was not offered.
var errMechanism = &Malformed{Message: "client selected an invalid SASL authentication mechanism"}

// Error is Postgres's own text; the reason is the detail.
func (m *Malformed) Error() string { return m.Message }

// Detail says what is wrong with the message, without quoting it.
func (m *Malformed) Detail() string { return m.Reason }

// SQLState is protocol_violation.
func (m *Malformed) SQLState() string { return "08P01" }

// Unbound is an exchange that somebody may be in the middle of: the client's
// view of the TLS connection is not ours.
type Unbound struct {
	Message string
	Reason  string
}

// The ways in which a channel is not the client's.
var (
	errDowngrade = &Unbound{"SCRAM channel binding negotiation error",
		"The client supports SCRAM channel binding but thinks the server does not.  However, this server does support channel binding."}
	errOtherChannel = &Unbound{"SCRAM channel binding check failed", ""}
)

// Error and Detail are Postgres's own texts.
func (u *Unbound) Error() string { return u.Message }

// Detail may be empty.
func (u *Unbound) Detail() string { return u.Reason }

// SQLState is invalid_authorization_specification.
func (u *Unbound) SQLState() string { return "28000" }

// NoCertificate is a client certificate that isn't the user's.
type NoCertificate struct {
	User string
}

// Error is Postgres's own text.
func (n *NoCertificate) Error() string {
	return fmt.Sprintf("certificate authentication failed for user %q", n.User)
}

// SQLState is invalid_authorization_specification.
func (n *NoCertificate) SQLState() string { return "28000" }

// NotAdmitted is a client that the access rules of users.yaml keep out.
type NotAdmitted struct {
	Client Client
	// Rule is the one that rejects it, for the log; empty where none fits.
	Rule string
}

// Error is worded as Postgres words it of pg_hba.conf.
func (n *NotAdmitted) Error() string {
	c := n.Client
	host, encryption := "[local]", "no encryption"
	if c.Addr.IsValid() {
		host = c.Addr.String()
	}
	if c.TLS {
		encryption = "SSL encryption"
	}
	about := fmt.Sprintf("host %q, user %q, database %q, %s", host, c.User, c.Database, encryption)
	if n.Rule != "" {
		return "an access rule rejects connection for " + about
	}
	return "no access rule for " + about
}

// SQLState is invalid_authorization_specification.
func (n *NotAdmitted) SQLState() string { return "28000" }

// Unwrap is what the log says besides.
func (n *NotAdmitted) Unwrap() error {
	if n.Rule == "" {
		return nil
	}
	return errors.New(n.Rule)
}
