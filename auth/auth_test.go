package auth

import (
	"errors"
	"strings"
	"testing"

	"github.com/pgask/pgask/configs"
	"github.com/xdg-go/scram"
)

// store has ana (password "ana"), cert (certificate only) and their roles.
func store(t *testing.T) *Store {
	t.Helper()
	verifier, err := Hash("ana")
	if err != nil {
		t.Fatal(err)
	}
	s, faults := NewStore(&configs.Users{Users: []configs.User{
		{
			Name: "ana", Password: verifier, Roles: []string{"analyst"}, Admin: true,
			Attributes: map[string]any{"tenant_id": int64(1)},
			Backend:    &configs.Backend{User: "reader", Password: "secret"},
		},
		{Name: "carl", Cert: "CN=carl the great", Roles: []string{"dba"}},
	}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return s
}

// login runs a whole exchange with a client that isn't ours.
func login(t *testing.T, x *Exchange, scramUser, password string) error {
	t.Helper()
	client, err := scram.SHA256.NewClient(scramUser, password, "")
	if err != nil { // SASLprep refuses the password: drivers send it as it is
		if client, err = scram.SHA256.NewClientUnprepped(scramUser, password, ""); err != nil {
			t.Fatal(err)
		}
	}
	return converse(x, client.NewConversation())
}

func TestLogin(t *testing.T) {
	s := store(t)
	for _, scramUser := range []string{"", "*", "somebody else"} { // libpq sends none, JDBC a star
		x := s.Begin("ana", Binding{})
		if err := login(t, x, scramUser, "ana"); err != nil {
			t.Fatalf("with %q inside: %v", scramUser, err)
		}
		p := x.Principal()
		if p.User != "ana" || p.Roles[0] != "analyst" || !p.Admin || p.Attributes["tenant_id"] != int64(1) ||
			p.Login == nil || *p.Login != (Login{User: "reader", Password: "secret"}) {
			t.Errorf("principal: %+v", p)
		}
		if _, _, err := x.Step([]byte("c=biws,r=x,p=eA==")); code(err) != "08P01" {
			t.Errorf("a step after the end: %v", err)
		}
	}
}

func code(err error) string {
	if coded, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return coded.SQLState()
	}
	return ""
}

// TestUnknownLikeWrong holds that a stranger can't tell which users exist.
func TestUnknownLikeWrong(t *testing.T) {
	s := store(t)
	for _, user := range []string{"ana", "carl", "nobody", ""} {
		x := s.Begin(user, Binding{})
		err := login(t, x, "", "wrong")
		failure, ok := errors.AsType[*Failure](err)
		if !ok || failure.SQLState() != "28P01" || err.Error() != `password authentication failed for user "`+user+`"` {
			t.Errorf("%q: %v", user, err)
		}
		if x.steps != 2 {
			t.Errorf("%q failed at step %d, want 2", user, x.steps)
		}
		if p := x.Principal(); p.User != "" || p.Roles != nil {
			t.Errorf("%q: a principal without a login: %+v", user, p)
		}
	}
}

// first is the server's first message for a user.
func first(t *testing.T, s *Store, user string) string {
	t.Helper()
	reply, done, err := s.Begin(user, Binding{}).Step([]byte("n,,n=,r=abc"))
	if err != nil || done {
		t.Fatal(err)
	}
	return string(reply)
}

func TestMockSaltIsStable(t *testing.T) {
	salt := func(message string) string { return strings.Split(message, ",")[1] }
	one, two := store(t), store(t) // as before and after a reload
	a, b := first(t, one, "nobody"), first(t, two, "nobody")
	if salt(a) != salt(b) || salt(a) == salt(first(t, one, "nobody2")) {
		t.Errorf("salts of unknown users: %s, %s", a, b)
	}
	if a == b {
		t.Error("a nonce was used twice")
	}
	if !strings.HasSuffix(a, ",i=4096") || len(salt(a)) != len(salt(first(t, one, "ana"))) {
		t.Errorf("an unknown user's message looks different: %s", a)
	}
}

func TestMalformed(t *testing.T) {
	s := store(t)
	for _, message := range []string{
		"", "n", "n,,", "n,,n=", "n,,n=,x=1", "x,,n=,r=a", "n,,r=a,n=", "n,,m=1,n=,r=a", "n,a=admin,n=,r=a", "n,b=x,n=,r=a",
		"p=tls-server-end-point,,n=,r=a", "p=what,,n=,r=a", "n,,n==2c,r=a", "n,,n=,r=a\x00", "n,,n=,r=a b", "n,,n=,r=ä",
		"n,,n=,r=" + strings.Repeat("x", maxMessage),
	} {
		x := s.Begin("ana", Binding{})
		reply, done, err := x.Step([]byte(message))
		if m, ok := errors.AsType[*Malformed](err); !ok || m.Detail() == "" || reply != nil || done {
			t.Errorf("first %.40q: %q, %v, %v", message, reply, done, err)
		}
		if _, _, err := x.Step([]byte("n,,n=,r=abc")); err == nil {
			t.Errorf("first %.40q: the exchange went on", message)
		}
	}
}

func TestMalformedFinal(t *testing.T) {
	s := store(t)
	const proof = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	for _, user := range []string{"ana", "nobody"} {
		for message, want := range map[string]string{
			"c=biws,r=$,p=" + proof:              "28P01", // well-formed, only wrong
			"c=biws,r=$,ext=1,p=" + proof:        "28P01",
			"":                                   "08P01",
			"c=biws":                             "08P01",
			"c=biws,r=$":                         "08P01",
			"c=biws,r=$,p=AAAA":                  "08P01",
			"c=biws,r=$,p=!":                     "08P01",
			"c=biws,r=$,p=":                      "08P01",
			"c=eSws,r=$,p=" + proof:              "08P01", // y,, instead of n,,
			"c=!,r=$,p=" + proof:                 "08P01",
			"c=biws,r=other,p=" + proof:          "08P01",
			"c=biws,r=$x,p=" + proof:             "08P01",
			"r=$,c=biws,p=" + proof:              "08P01",
			"c=biws,p=" + proof + ",r=$":         "08P01",
			"c=biws,r=$,p=" + proof + "\x00":     "08P01",
			"c=biws,r=$,p=" + proof + ",z=extra": "08P01",
		} {
			x := s.Begin(user, Binding{})
			reply, _, err := x.Step([]byte("n,,n=,r=abc"))
			if err != nil {
				t.Fatal(err)
			}
			nonce := strings.TrimPrefix(strings.Split(string(reply), ",")[0], "r=")
			reply, done, err := x.Step([]byte(strings.ReplaceAll(message, "$", nonce)))
			if code(err) != want || reply != nil || done {
				t.Errorf("%s, %q: %q, %v, %v; want %s", user, message, reply, done, err, want)
			}
		}
	}
}

func TestFaultyUsers(t *testing.T) {
	good, err := Hash("x")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		user configs.User
		want string
	}{
		{configs.User{Password: "secret"}, `put what "pgask users hash" prints here`},
		{configs.User{Password: "md5c4ca4238a0b923820dcc509a6f75849b"}, "MD5"},
		{configs.User{Password: "SCRAM-SHA-256$4096:x"}, "the form is"},
		{configs.User{Password: "SCRAM-SHA-256$0:eA==$eA==:eA=="}, "iteration count"},
		{configs.User{Password: "SCRAM-SHA-256$4096:!$eA==:eA=="}, "the salt"},
		{configs.User{Password: "SCRAM-SHA-256$4096:$eA==:eA=="}, "the salt"},
		{configs.User{Password: "SCRAM-SHA-256$4096:eA==$eA==:eA=="}, "the stored key has 1 bytes instead of 32"},
		{configs.User{Password: good + "x"}, "the server key is not base64"},
		{configs.User{Cert: "ana"}, "CN=name"},
		{configs.User{Cert: "CN="}, "CN=name"},
		{configs.User{Cert: "cn=taken"}, "user first has the same certificate"},
	} {
		c.user.Name, c.user.Pos = "u", configs.Pos{File: "users.yaml", Line: 7}
		s, faults := NewStore(&configs.Users{Users: []configs.User{{Name: "first", Cert: "CN=taken"}, c.user}})
		if len(faults) != 1 || !strings.Contains(faults[0].Msg, c.want) || faults[0].Pos.Line != 7 {
			t.Errorf("%q, %q: %v; want %s", c.user.Password, c.user.Cert, faults, c.want)
		}
		if len(faults) == 1 && strings.Contains(faults[0].Error(), "secret") {
			t.Error("a fault quotes the password")
		}
		if len(s.users) != 1 {
			t.Errorf("%+v may log in", c.user)
		}
	}
	weak, err := hashWith("x", []byte("salt"), 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, faults := NewStore(&configs.Users{Users: []configs.User{{Name: "u", Password: weak}}}); len(faults) != 1 || !faults[0].Warning {
		t.Errorf("few iterations: %v", faults)
	}
	if s, faults := NewStore(nil); len(s.users) != 0 || faults != nil {
		t.Error("no users")
	}
}
