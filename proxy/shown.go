package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"slices"
	"sync"
)

// tlsConfigs keeps the configuration that handshakes use: the given one, with
// ALPN and a memory for the certificate that a client was shown. It is made
// once for each that a reload brings, because session tickets are bound to it.
type tlsConfigs struct {
	mu   sync.Mutex
	from *tls.Config // guarded by mu
	made *tls.Config // guarded by mu
}

func (t *tlsConfigs) of(config *tls.Config) *tls.Config {
	if config == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.from != config {
		t.from, t.made = config, remembering(config)
	}
	return t.made
}

func remembering(given *tls.Config) *tls.Config {
	made := given.Clone()
	if !slices.Contains(made.NextProtos, protocolName) {
		made.NextProtos = append(slices.Clone(made.NextProtos), protocolName)
	}
	made.Certificates = nil // or GetCertificate would not always be asked
	made.GetCertificate = func(info *tls.ClientHelloInfo) (*tls.Certificate, error) {
		cert, err := choose(given, info)
		if h, ok := info.Context().Value(helloKey{}).(*hello); ok {
			h.shown = cert
		}
		return cert, err
	}
	made.GetConfigForClient = func(info *tls.ClientHelloInfo) (*tls.Config, error) {
		if h, ok := info.Context().Value(helloKey{}).(*hello); ok {
			h.info = info
		}
		return nil, nil // no other configuration
	}
	return made
}

// choose takes the first certificate that the client supports and that has the
// name it asked for, else the first, as [tls.Config] documents it.
func choose(config *tls.Config, info *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if config.GetCertificate != nil {
		if cert, err := config.GetCertificate(info); cert != nil || err != nil {
			return cert, err
		}
	}
	if len(config.Certificates) == 0 {
		return nil, failure("XX000", "no certificate is configured")
	}
	for i := range config.Certificates {
		if info.SupportsCertificate(&config.Certificates[i]) == nil {
			return &config.Certificates[i], nil
		}
	}
	return &config.Certificates[0], nil
}

// helloKey leads from a handshake's context to its hello.
type helloKey struct{}

// hello is what a client said first, and the certificate that it was shown.
type hello struct {
	info  *tls.ClientHelloInfo
	shown *tls.Certificate
}

// certificate is the one that the client knows the server by. A resumed
// connection shows none; its client has the one that a new one would show.
func (h *hello) certificate(config *tls.Config) *x509.Certificate {
	if h.shown == nil && h.info != nil {
		_, _ = config.GetCertificate(h.info) // without one, nothing can be bound to
	}
	if h.shown == nil || len(h.shown.Certificate) == 0 {
		return nil
	}
	if h.shown.Leaf != nil {
		return h.shown.Leaf
	}
	leaf, err := x509.ParseCertificate(h.shown.Certificate[0])
	if err != nil {
		return nil
	}
	return leaf
}
