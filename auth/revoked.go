package auth

import (
	"crypto/x509"
	"errors"
	"time"
)

// NotRevoked checks a verified client certificate against the lists of its
// authorities (RFC 5280, section 6.3), as OpenSSL does with CRL_CHECK_ALL: each
// certificate below the root needs a current list of its issuer, and must not be
// on it. One good chain is enough.
func NotRevoked(lists []*x509.RevocationList, chains [][]*x509.Certificate) error {
	err := errors.New("the certificate has no chain")
	for _, chain := range chains {
		if err = notRevoked(lists, chain); err == nil {
			return nil
		}
	}
	return err
}

func notRevoked(lists []*x509.RevocationList, chain []*x509.Certificate) error {
	for i := range len(chain) - 1 {
		list, err := listOf(chain[i+1], lists)
		if err != nil {
			return err
		}
		for _, revoked := range list.RevokedCertificateEntries {
			if revoked.SerialNumber.Cmp(chain[i].SerialNumber) == 0 {
				return errors.New("the client's certificate was revoked")
			}
		}
	}
	return nil
}

// listOf is the current list of an issuer.
func listOf(issuer *x509.Certificate, lists []*x509.RevocationList) (*x509.RevocationList, error) {
	now, err := time.Now(), errors.New("tls.crl has no list of the authority of the client's certificate")
	for _, list := range lists {
		if list.CheckSignatureFrom(issuer) != nil {
			continue
		}
		if now.Before(list.ThisUpdate) || !list.NextUpdate.IsZero() && now.After(list.NextUpdate) {
			err = errors.New("the list of the authority of the client's certificate in tls.crl has expired")
			continue
		}
		return list, nil
	}
	return nil, err
}
