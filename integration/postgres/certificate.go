package postgres

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"path/filepath"
	"time"
)

// Certificate makes a self-signed certificate for localhost and 127.0.0.1 that
// holds for a day, as PEM. It proves nothing to anybody: it is for encrypting
// the traffic of throw-away servers.
func Certificate() (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: "localhost"},
		NotBefore:    now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		BasicConstraintsValid: true, IsCA: true,
	}
	cert, certErr := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	private, keyErr := x509.MarshalPKCS8PrivateKey(key)
	if err := errors.Join(certErr, keyErr); err != nil {
		return nil, nil, err
	}
	certPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	keyPEM = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	return certPEM, keyPEM, nil
}

func (a account) writeCertificate(dir string) error {
	cert, key, err := Certificate()
	if err != nil {
		return err
	}
	return errors.Join(a.writeFile(filepath.Join(dir, "server.crt"), cert),
		a.writeFile(filepath.Join(dir, "server.key"), key))
}
