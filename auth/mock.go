package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"sync"

	"github.com/xdg-go/scram"
)

// mockKey is the secret of a process whose users.yaml has none. It never
// changes: a store that a reload replaces must go on giving unknown users the
// salts it gave before.
var mockKey = sync.OnceValue(func() []byte {
	k := make([]byte, sha256.Size)
	_, _ = rand.Read(k) // never fails; it ends the program instead
	return k
})

// mock is the verifier of a user that doesn't exist or has no password. Its
// salt is the same at every attempt, as a real user's is; nobody knows a
// password for its keys.
func (s *Store) mock(user string) scram.StoredCredentials {
	return scram.StoredCredentials{
		KeyFactors: scram.KeyFactors{Salt: string(s.derive("salt", user)[:saltBytes]), Iters: iterations},
		StoredKey:  s.derive("stored", user),
		ServerKey:  s.derive("server", user),
	}
}

func (s *Store) derive(purpose, user string) []byte {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte(purpose))
	h.Write([]byte{0})
	h.Write([]byte(user))
	return h.Sum(nil)
}
