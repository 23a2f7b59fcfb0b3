package auth

import (
	"crypto/x509"
	"encoding/asn1"
	"slices"
)

// oidCommonName is the attribute CN (X.520).
var oidCommonName = asn1.ObjectIdentifier{2, 5, 4, 3}

// CommonNames are all the CNs of a certificate's subject, in its order; x509
// itself keeps the last one only. Each is as good as the others, because the
// authority has signed them all.
func CommonNames(cert *x509.Certificate) []string {
	var names []string
	for _, attribute := range cert.Subject.Names {
		if name, ok := attribute.Value.(string); ok && name != "" && attribute.Type.Equal(oidCommonName) {
			names = append(names, name)
		}
	}
	return names
}

// ByCertificate is the user of that name, where the certificate that the client
// has proved to have names it in users.yaml. The caller has verified the
// certificate's chain and passes its [CommonNames]. The error, a
// [NoCertificate] (28000), is the same for everybody whom it isn't.
func (s *Store) ByCertificate(user string, commonNames []string) (Principal, error) {
	e, ok := s.users[user]
	if !ok || e.commonName == "" || e.expired() || !slices.Contains(commonNames, e.commonName) {
		return Principal{}, &NoCertificate{User: user}
	}
	return e.principal(), nil
}

// Named tells whether a certificate is the user's own: it names the user, or
// what users.yaml says of the user. Anybody may be asked about.
func (s *Store) Named(user string, commonNames []string) bool {
	if e, ok := s.users[user]; ok && e.commonName != "" && slices.Contains(commonNames, e.commonName) {
		return true
	}
	return slices.Contains(commonNames, user)
}
