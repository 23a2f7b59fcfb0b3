package auth

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/xdg-go/scram"
)

// Binding is what ties a SCRAM exchange to the TLS connection it runs on. The
// zero Binding is that of a connection without TLS: no binding is offered.
type Binding struct {
	channel scram.ChannelBinding
}

// EndPoint is the binding tls-server-end-point (RFC 5929), the only one that
// Postgres's clients know, to the certificate that the server showed this
// client. It is zero for a nil certificate, and for one whose signature names
// no hash (Ed25519): clients can't compute a binding to it either.
func EndPoint(shown *x509.Certificate) Binding {
	if shown == nil {
		return Binding{}
	}
	// The library looks for the server's certificate where clients find it.
	c, err := scram.NewTLSServerEndpointBinding(&tls.ConnectionState{PeerCertificates: []*x509.Certificate{shown}})
	if err != nil {
		return Binding{}
	}
	return Binding{c}
}
