package auth

import (
	"testing"

	"github.com/pgask/pgask/configs"
)

// FuzzStep: whatever a client says that has no password, on whatever
// connection, it is an error with an SQLSTATE and never a login.
func FuzzStep(f *testing.F) {
	verifier, err := hashWith("ana", []byte("0123456789abcdef"), 1)
	if err != nil {
		f.Fatal(err)
	}
	s, _ := NewStore(&configs.Users{Users: []configs.User{{Name: "ana", Password: verifier}}})
	f.Add("ana", false, Mechanism, []byte("n,,n=,r=abc"), []byte("c=biws,r=abc,p=AAAA"))
	f.Add("x", true, Mechanism, []byte("y,a=b,n=a=2C,r=abc,ext=1"), []byte("c=eSws,r=$,p="))
	f.Add("", false, MechanismPlus, []byte("p=tls-exporter,,n=,r="), []byte(",,,"))
	f.Add("ana", true, MechanismPlus, []byte("p=tls-server-end-point,,n=,r=abc"), []byte("c=cD10bHMtc2VydmVyLWVuZC1wb2ludCws,r=$,p=AAAA"))
	f.Add("ana", true, "SCRAM-SHA-1", []byte("n,,n=,r=abc"), []byte{})
	f.Fuzz(func(t *testing.T, user string, tls bool, mechanism string, one, two []byte) {
		var b Binding
		if tls {
			b = bound("ours")
		}
		x := s.Begin(user, b)
		if err := x.Choose(mechanism); err != nil {
			if code(err) != "08P01" {
				t.Errorf("%q: %v", mechanism, err)
			}
			return
		}
		for _, message := range [][]byte{one, two} {
			reply, done, err := x.Step(message)
			if err != nil && code(err) == "" {
				t.Errorf("%q: an error without SQLSTATE: %v", message, err)
			}
			if done || err != nil && reply != nil {
				t.Errorf("%q, %q: %q, %v, %v", one, two, reply, done, err)
			}
		}
		if p := x.Principal(); p.User != "" {
			t.Errorf("logged in without a password: %q, %q", one, two)
		}
	})
}
