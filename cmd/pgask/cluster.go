package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/proxy"
)

// loadCluster makes the proxy's view of the other instances. It is read once:
// a reload doesn't change it.
func loadCluster(c configs.Cluster) (proxy.Cluster, error) {
	out := proxy.Cluster{Instance: uint8(c.Instance), Peers: map[uint8]string{}}
	for n, address := range c.Peers {
		out.Peers[uint8(n)] = address
	}
	if c.CA == "" {
		return out, nil
	}
	pem, err := os.ReadFile(c.CA)
	if err != nil {
		return out, fmt.Errorf("cluster.ca: %w", err)
	}
	out.TLS = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	if !out.TLS.RootCAs.AppendCertsFromPEM(pem) {
		return out, errors.New("cluster.ca: no certificate in it")
	}
	return out, nil
}
