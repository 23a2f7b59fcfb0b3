package auth

import (
	"net/netip"
	"testing"

	"github.com/pgask/pgask/configs"
)

func TestAdmit(t *testing.T) {
	const rules = `
users:
  - {name: ana, role: r, password: x}
  - {name: carl, role: r, cert: CN=carl the great}
access:
  - {users: [svc_*], addresses: [10.0.0.0/8, "fd00::/8"], action: allow}
  - {users: [carl], tls: certificate, action: allow}
  - {users: [carl], action: reject}
  - {users: [ana, nobody], databases: [acme, "test_*"], tls: required, action: allow}
  - {addresses: [local], databases: [acme], action: allow}
`
	u, faults := configs.DecodeUsers("users.yaml", []byte(rules))
	if configs.Faulty(faults) {
		t.Fatal(faults)
	}
	s, _ := NewStore(u)
	ten, six, far := netip.MustParseAddr("10.1.2.3"), netip.MustParseAddr("fd00::1"), netip.MustParseAddr("192.0.2.7")
	for _, c := range []struct {
		client Client
		want   string
	}{
		{Client{User: "svc_a", Database: "any", Addr: ten}, ""},
		{Client{User: "svc_a", Database: "any", Addr: six}, ""},
		{Client{User: "svc_a", Database: "any", Addr: far}, `no access rule for host "192.0.2.7", user "svc_a", database "any", no encryption`},
		{Client{User: "carl", Database: "acme", Addr: far, TLS: true, CommonNames: []string{"carl the great"}}, ""},
		{Client{User: "carl", Database: "acme", Addr: far, TLS: true, CommonNames: []string{"carl"}}, ""},
		{Client{User: "carl", Database: "acme", Addr: far, TLS: true, CommonNames: []string{"ana"}}, `an access rule rejects connection for host "192.0.2.7", user "carl", database "acme", SSL encryption`},
		{Client{User: "carl", Database: "acme"}, `an access rule rejects connection for host "[local]", user "carl", database "acme", no encryption`},
		{Client{User: "ana", Database: "acme", Addr: far, TLS: true}, ""},
		{Client{User: "ana", Database: "test_1", Addr: far, TLS: true}, ""},
		{Client{User: "ana", Database: "tests", Addr: far, TLS: true}, `no access rule for host "192.0.2.7", user "ana", database "tests", SSL encryption`},
		{Client{User: "ana", Database: "acme", Addr: far}, `no access rule for host "192.0.2.7", user "ana", database "acme", no encryption`},
		{Client{User: "ana", Database: "acme"}, ""},
		// Who doesn't exist is answered by the same rules.
		{Client{User: "nobody", Database: "acme", Addr: far, TLS: true}, ""},
		{Client{User: "nobody", Database: "acme", Addr: far}, `no access rule for host "192.0.2.7", user "nobody", database "acme", no encryption`},
		{Client{User: `x"y`, Database: "d\n", Addr: far}, `no access rule for host "192.0.2.7", user "x\"y", database "d\n", no encryption`},
	} {
		err := s.Admit(c.client)
		if got := text(err); got != c.want || err != nil && code(err) != "28000" {
			t.Errorf("%+v: %s, want %s", c.client, got, c.want)
		}
	}
	open, _ := NewStore(&configs.Users{})
	if err := open.Admit(Client{User: "x"}); err != nil {
		t.Errorf("without rules: %v", err)
	}
	shut, _ := NewStore(&configs.Users{Access: []configs.AccessRule{}})
	if err := shut.Admit(Client{User: "x"}); code(err) != "28000" {
		t.Errorf("with an empty list: %v", err)
	}
	odd, _ := NewStore(&configs.Users{Access: []configs.AccessRule{{TLS: "some", Action: "allow"}, {TLS: "any", Action: "maybe"}}})
	if err := odd.Admit(Client{User: "x"}); code(err) != "28000" {
		t.Errorf("words that no file can have: %v", err)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
