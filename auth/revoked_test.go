package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"strings"
	"testing"
	"time"
)

// signer is an authority in a chain.
type signer struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// issue makes a certificate; a nil parent makes a root.
func issue(t *testing.T, parent *signer, serial int64) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{SerialNumber: big.NewInt(serial).String()}, SubjectKeyId: []byte{byte(serial)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign}
	issuer, issuerKey := template, key
	if parent != nil {
		issuer, issuerKey = parent.cert, parent.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, &key.PublicKey, issuerKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{t, cert, key}
}

// revoke makes a list that is current for so long.
func (s *signer) revoke(current time.Duration, serials ...int64) *x509.RevocationList {
	s.t.Helper()
	template := &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: time.Now().Add(-time.Minute), NextUpdate: time.Now().Add(current)}
	for _, serial := range serials {
		template.RevokedCertificateEntries = append(template.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: big.NewInt(serial), RevocationTime: time.Now()})
	}
	der, err := x509.CreateRevocationList(rand.Reader, template, s.cert, s.key)
	if err != nil {
		s.t.Fatal(err)
	}
	list, err := x509.ParseRevocationList(der)
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

func TestNotRevoked(t *testing.T) {
	root, other := issue(t, nil, 1), issue(t, nil, 2)
	middle := issue(t, root, 3)
	direct, below := issue(t, root, 4), issue(t, middle, 5)
	short := []*x509.Certificate{direct.cert, root.cert}
	long := []*x509.Certificate{below.cert, middle.cert, root.cert}
	for _, c := range []struct {
		name  string
		lists []*x509.RevocationList
		chain []*x509.Certificate
		want  string
	}{
		{"nothing revoked", []*x509.RevocationList{root.revoke(time.Hour)}, short, ""},
		{"somebody else revoked", []*x509.RevocationList{root.revoke(time.Hour, 99, 5)}, short, ""},
		{"revoked", []*x509.RevocationList{root.revoke(time.Hour, 99, 4)}, short, "was revoked"},
		{"no list", nil, short, "no list of the authority"},
		{"another's list", []*x509.RevocationList{other.revoke(time.Hour)}, short, "no list of the authority"},
		{"an old list", []*x509.RevocationList{root.revoke(-time.Second)}, short, "has expired"},
		{"an old list and a new one", []*x509.RevocationList{root.revoke(-time.Second, 4), root.revoke(time.Hour)}, short, ""},
		{"a chain", []*x509.RevocationList{root.revoke(time.Hour), middle.revoke(time.Hour)}, long, ""},
		{"a chain without a list", []*x509.RevocationList{root.revoke(time.Hour)}, long, "no list of the authority"},
		{"the end revoked", []*x509.RevocationList{root.revoke(time.Hour), middle.revoke(time.Hour, 5)}, long, "was revoked"},
		{"the middle revoked", []*x509.RevocationList{root.revoke(time.Hour, 3), middle.revoke(time.Hour)}, long, "was revoked"},
	} {
		err := NotRevoked(c.lists, [][]*x509.Certificate{c.chain})
		if got := text(err); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if err := NotRevoked([]*x509.RevocationList{root.revoke(time.Hour)}, [][]*x509.Certificate{long, short}); err != nil {
		t.Errorf("one chain is good: %v", err)
	}
	if err := NotRevoked(nil, nil); err == nil {
		t.Error("no chain is good")
	}
}
