package auth

import (
	"errors"
	"hash"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/xdg-go/scram"
)

// everyKind has a user of every kind that a password is asked of. The password
// of each who has one is the name.
func everyKind(t *testing.T) *Store {
	t.Helper()
	u := &configs.Users{Secret: "a secret of the test"}
	for _, name := range []string{"ana", "expired", "expires later"} {
		verifier, err := Hash(name)
		if err != nil {
			t.Fatal(err)
		}
		u.Users = append(u.Users, configs.User{Name: name, Password: verifier, Roles: []string{"r"}})
	}
	u.Users[1].Expires = time.Now()
	u.Users[2].Expires = time.Now().Add(time.Hour)
	u.Users = append(u.Users, configs.User{Name: "carl", Cert: "CN=carl"})
	s, faults := NewStore(u)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return s
}

// counted counts what is hashed, in calls and bytes.
type counted struct {
	hash.Hash
	news, bytes *int
}

func (c counted) Write(b []byte) (int, error) {
	*c.bytes += len(b)
	return c.Hash.Write(b)
}

// TestSameWork counts the hashing that a failed login costs the server: it is
// the same for everybody, so that time tells nothing.
func TestSameWork(t *testing.T) {
	s := everyKind(t)
	work := func(user, password string) (news, bytes int, err error) {
		s.hash = func() hash.Hash {
			news++
			return counted{scram.SHA256(), &news, &bytes}
		}
		err = login(t, s.Begin(user, Binding{}), "", password)
		return news, bytes, err
	}
	wantNews, wantBytes, err := work("ana", "wrong")
	if code(err) != "28P01" || wantNews == 0 || wantBytes == 0 {
		t.Fatal(wantNews, wantBytes, err)
	}
	for _, c := range []struct{ user, password string }{
		{"nobody", "wrong"}, {"carl", "wrong"}, {"expired", "wrong"}, {"expired", "expired"}, {"", ""},
	} {
		news, bytes, err := work(c.user, c.password)
		if code(err) != "28P01" || news != wantNews || bytes != wantBytes {
			t.Errorf("%s with %q: %d hashes of %d bytes instead of %d of %d: %v", c.user, c.password, news, bytes, wantNews, wantBytes, err)
		}
	}
}

// TestExpired: an expired user is a wrong password to the client, in all it
// sees, and the log is told.
func TestExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := everyKind(t)
		before := first(t, s, "expires later")
		if err := login(t, s.Begin("expires later", Binding{}), "", "expires later"); err != nil {
			t.Errorf("an hour before: %v", err)
		}
		time.Sleep(time.Hour)
		err := login(t, s.Begin("expires later", Binding{}), "", "expires later")
		if code(err) != "28P01" || err.Error() != `password authentication failed for user "expires later"` {
			t.Errorf("in the end: %v", err)
		}
		if cause := errors.Unwrap(err); cause != errExpired {
			t.Errorf("the log is told %v", cause)
		}
		after := first(t, s, "expires later")
		if strings.SplitN(before, ",", 2)[1] != strings.SplitN(after, ",", 2)[1] {
			t.Errorf("the salt tells: %s, then %s", before, after)
		}
	})
}

func TestCauses(t *testing.T) {
	s := everyKind(t)
	for user, want := range map[string]error{"ana": errWrongPassword, "nobody": errNoUser, "carl": errNoPassword, "expired": errExpired} {
		if err := login(t, s.Begin(user, Binding{}), "", "wrong"); errors.Unwrap(err) != want {
			t.Errorf("%s: %v", user, errors.Unwrap(err))
		}
	}
}

// TestSecretKeepsSalts: with a configured secret, unknown users keep their
// salts on every instance; with another they have others.
func TestSecretKeepsSalts(t *testing.T) {
	salt := func(secret string) string {
		s, _ := NewStore(&configs.Users{Secret: secret})
		return strings.Split(first(t, s, "nobody"), ",")[1]
	}
	a, b, none := salt("a secret of the test"), salt("another secret of it"), salt("")
	if a != "s=bzfMswQ5bglouiH4gCvzVA==" { // what every other process makes of it
		t.Errorf("salt %s", a)
	}
	if a == b || a == none || b == none {
		t.Errorf("secrets make no difference: %s, %s, %s", a, b, none)
	}
}
