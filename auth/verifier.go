package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xdg-go/scram"
)

const (
	// verifierPrefix is how Postgres marks a SCRAM verifier in pg_authid.
	verifierPrefix = "SCRAM-SHA-256$"
	// iterations is Postgres's default scram_iterations, the least that
	// RFC 7677 allows. The mock verifier uses it too.
	iterations = 4096
	// saltBytes is the length of the salts Postgres makes.
	saltBytes = 16
)

// Hash makes the SCRAM-SHA-256 verifier of a password, in the form that both
// users.yaml and ALTER ROLE … PASSWORD take. The password is prepared by
// SASLprep; like Postgres, one that SASLprep refuses is taken as it is.
func Hash(password string) (string, error) {
	salt := make([]byte, saltBytes)
	// crypto/rand.Read never fails; it ends the program instead.
	_, _ = rand.Read(salt)
	return hashWith(password, salt, iterations)
}

// hashWith is Hash with the random part given.
func hashWith(password string, salt []byte, iters int) (string, error) {
	if password == "" {
		return "", errors.New("the password is empty")
	}
	if strings.ContainsRune(password, 0) {
		return "", errors.New("the password holds a NUL byte")
	}
	client, err := scram.SHA256.NewClient("", password, "")
	if err != nil {
		if client, err = scram.SHA256.NewClientUnprepped("", password, ""); err != nil {
			return "", fmt.Errorf("prepare password: %w", err)
		}
	}
	c, err := client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: iters})
	if err != nil {
		return "", fmt.Errorf("derive verifier: %w", err)
	}
	enc := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s%d:%s$%s:%s", verifierPrefix, iters, enc(salt), enc(c.StoredKey), enc(c.ServerKey)), nil
}

// errPlainText is what a password that isn't a verifier gets told.
var errPlainText = errors.New(`not a SCRAM-SHA-256 verifier, and plain text is refused: put what "pgask users hash" prints here`)

// errMD5 is what the older kind of Postgres verifier gets told.
var errMD5 = errors.New(`an MD5 verifier, which is not safe enough: put what "pgask users hash" prints here`)

// parseVerifier reads SCRAM-SHA-256$<iterations>:<salt>$<stored>:<server>.
// Its errors never quote the text, which may be somebody's password.
func parseVerifier(text string) (scram.StoredCredentials, error) {
	var c scram.StoredCredentials
	rest, ok := strings.CutPrefix(text, verifierPrefix)
	if !ok {
		if strings.HasPrefix(text, "md5") && len(text) == 35 {
			return c, errMD5
		}
		return c, errPlainText
	}
	factors, keys, ok1 := strings.Cut(rest, "$")
	count, salt, ok2 := strings.Cut(factors, ":")
	stored, server, ok3 := strings.Cut(keys, ":")
	if !ok1 || !ok2 || !ok3 {
		return c, errors.New("a broken verifier: the form is SCRAM-SHA-256$iterations:salt$stored key:server key")
	}
	n, err := strconv.ParseInt(count, 10, 32)
	if err != nil || n < 1 {
		return c, errors.New("a broken verifier: the iteration count is not a positive number")
	}
	rawSalt, err := base64.StdEncoding.DecodeString(salt)
	if err != nil || len(rawSalt) == 0 {
		return c, errors.New("a broken verifier: the salt is not base64")
	}
	c.KeyFactors = scram.KeyFactors{Salt: string(rawSalt), Iters: int(n)}
	if c.StoredKey, err = key(stored); err != nil {
		return c, fmt.Errorf("a broken verifier: the stored key %w", err)
	}
	if c.ServerKey, err = key(server); err != nil {
		return c, fmt.Errorf("a broken verifier: the server key %w", err)
	}
	return c, nil
}

// key decodes one of the two keys of a verifier.
func key(text string) ([]byte, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, errors.New("is not base64")
	}
	if len(raw) != sha256.Size {
		return nil, fmt.Errorf("has %d bytes instead of %d", len(raw), sha256.Size)
	}
	return raw, nil
}
