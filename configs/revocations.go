package configs

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
)

// ReadRevocations reads the lists of tls.crl: one or more in PEM, or one in
// DER. A list with a critical extension is refused: it may be about a part of
// the certificates only, or be a supplement to another.
func ReadRevocations(path string) ([]*x509.RevocationList, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.New(fileError(err))
	}
	ders := [][]byte{}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "X509 CRL" {
			ders = append(ders, block.Bytes)
		}
	}
	if len(ders) == 0 {
		ders = append(ders, data)
	}
	var lists []*x509.RevocationList
	for _, der := range ders {
		list, err := x509.ParseRevocationList(der)
		if err != nil {
			return nil, errors.New("holds no list of revoked certificates (X509 CRL)")
		}
		for _, e := range list.Extensions {
			if e.Critical {
				return nil, errors.New("has a list with a critical extension, which pgask does not know: " + e.Id.String())
			}
		}
		lists = append(lists, list)
	}
	return lists, nil
}
