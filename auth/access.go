package auth

import (
	"fmt"
	"net/netip"
)

// Client is what is known of a client before it has proved who it is.
type Client struct {
	User, Database string
	// Addr is where it comes from, an IPv4 address in its own form; the invalid
	// address is that of a Unix socket.
	Addr netip.Addr
	// TLS tells whether the connection is encrypted, CommonNames what the
	// client's certificate says, where it has a verified one.
	TLS         bool
	CommonNames []string
}

// Admit asks the access rules of users.yaml. The error is [NotAdmitted]
// (28000). It depends on the rules and the client's own words alone, so that it
// is the same whether the user exists or not.
func (s *Store) Admit(c Client) error {
	if s.access == nil {
		return nil
	}
	for i := range s.access {
		r := &s.access[i]
		if !r.FitsUser(c.User) || !r.FitsDatabase(c.Database) || !r.FitsAddress(c.Addr) || !s.fitsTLS(r.TLS, c) {
			continue
		}
		if r.Action == "allow" {
			return nil
		}
		return &NotAdmitted{Client: c, Rule: fmt.Sprintf("access rule on line %d", r.Pos.Line)}
	}
	return &NotAdmitted{Client: c}
}

// fitsTLS tells whether the connection is what a rule's tls asks for. What it
// doesn't know, nobody fits.
func (s *Store) fitsTLS(want string, c Client) bool {
	switch want {
	case "any":
		return true
	case "required":
		return c.TLS
	case "certificate":
		return c.TLS && s.Named(c.User, c.CommonNames)
	}
	return false
}
