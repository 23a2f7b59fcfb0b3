package auth

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/xdg-go/scram"
)

// Store holds the users who may log in. It is read-only once made, so any
// number of sessions use it at once and a reload replaces it whole.
type Store struct {
	users  map[string]*entry
	access []configs.AccessRule   // nil: everybody may come
	secret []byte                 // what mocks are made from
	hash   scram.HashGeneratorFcn // SHA-256; a test counts it
}

// entry is one user of users.yaml.
type entry struct {
	user       configs.User
	verifier   *scram.StoredCredentials // nil: no login by password
	commonName string                   // of the certificate; empty: no login by one
}

// expired tells whether the user may not log in any more.
func (e *entry) expired() bool {
	return !e.user.Expires.IsZero() && !time.Now().Before(e.user.Expires)
}

// NewStore checks the users' verifiers and certificates and indexes them. The
// store holds the users without a fault.
func NewStore(u *configs.Users) (*Store, []configs.Fault) {
	s := &Store{users: map[string]*entry{}, secret: mockKey(), hash: scram.SHA256}
	var faults []configs.Fault
	if u == nil {
		return s, nil
	}
	s.access = u.Access
	if u.Secret != "" {
		s.secret = []byte(u.Secret)
	}
	taken := map[string]string{}
	for _, user := range u.Users {
		found := s.add(user, taken)
		faults = append(faults, found...)
	}
	return s, faults
}

// Principal is a user as a login would make it, for tools that explain what a
// user may do. It proves nothing: sessions get theirs from an exchange.
func (s *Store) Principal(name string) (Principal, bool) {
	e, ok := s.users[name]
	if !ok {
		return Principal{}, false
	}
	return e.principal(), true
}

// add takes a user in. taken has the users of common names.
func (s *Store) add(user configs.User, taken map[string]string) []configs.Fault {
	fault := func(key, msg string, warning bool) configs.Fault {
		return configs.Fault{Pos: user.Pos, Key: "users." + user.Name + "." + key, Msg: msg, Warning: warning}
	}
	e := &entry{user: user}
	var faults []configs.Fault
	if user.Password != "" {
		c, err := parseVerifier(user.Password)
		if err != nil {
			return []configs.Fault{fault("password", err.Error(), false)}
		}
		if c.Iters < iterations {
			faults = append(faults, fault("password", "the verifier has fewer than 4096 iterations; make a new one with \"pgask users hash\"", true))
		}
		e.verifier = &c
	}
	if user.Cert != "" {
		cn, err := commonName(user.Cert)
		if err != nil {
			return append(faults, fault("cert", err.Error(), false))
		}
		if other, ok := taken[cn]; ok {
			return append(faults, fault("cert", "user "+other+" has the same certificate", false))
		}
		taken[cn], e.commonName = user.Name, cn
	}
	s.users[user.Name] = e
	return faults
}

// commonName takes the name out of "CN=ana", the only form users.yaml has.
func commonName(cert string) (string, error) {
	if len(cert) < 4 || !strings.EqualFold(cert[:3], "CN=") {
		return "", errNoCommonName
	}
	return cert[3:], nil
}

// principal is a copy that its session may keep.
func (e *entry) principal() Principal {
	p := Principal{
		User:       e.user.Name,
		Roles:      slices.Clone(e.user.Roles),
		Attributes: maps.Clone(e.user.Attributes),
		Admin:      e.user.Admin,

		Connections: e.user.Connections,
	}
	if b := e.user.Backend; b != nil {
		p.Login = &Login{User: b.User, Password: b.Password}
	}
	return p
}

// errNoCommonName is a cert: that isn't in the form users are known by.
var errNoCommonName = errors.New(`write the certificate as "CN=name"`)
