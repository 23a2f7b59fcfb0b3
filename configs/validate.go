package configs

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// checker collects faults of pgask.yaml that concern more than one key, or
// the world outside the file. It runs after paths are absolute.
type checker struct {
	c       *Config
	file    string
	origins map[string]Pos
	faults  []Fault
}

// validate checks a decoded pgask.yaml.
func validate(c *Config, file string, origins map[string]Pos) []Fault {
	k := &checker{c: c, file: file, origins: origins}
	k.address("listen", c.Listen, false)
	k.cluster()
	k.address("http", c.HTTP, true)
	k.tls()
	k.model()
	k.plans()
	k.index()
	k.audit()
	return k.faults
}

// fault places a fault at the key, or at the file where the key is a default.
func (k *checker) fault(key, msg string) {
	pos, ok := k.origins[key]
	if !ok {
		pos = Pos{File: k.file}
	}
	k.faults = append(k.faults, Fault{Pos: pos, Key: key, Msg: msg})
}

// address checks host:port with a numeric port.
func (k *checker) address(key, address string, optional bool) {
	if address == "" && optional {
		return
	}
	if key == "listen" && strings.HasPrefix(address, "/") {
		return // a Unix-domain socket
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		k.fault(key, strconv.Quote(address)+" is not host:port, such as 127.0.0.1:6432")
		return
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		k.fault(key, "the port must be from 0 to 65535, got "+strconv.Quote(port))
	}
}

// tls checks that the mode has the files it needs and that they can be read.
func (k *checker) tls() {
	t := k.c.TLS
	switch {
	case t.Mode == "disable":
		return
	case t.Cert == "" && t.Key == "":
		if t.Mode != "prefer" {
			k.fault("tls.mode", t.Mode+" needs tls.cert and tls.key")
		}
	case t.Cert == "":
		k.fault("tls.key", "there is no tls.cert for it")
	case t.Key == "":
		k.fault("tls.cert", "there is no tls.key for it")
	default:
		if _, err := tls.LoadX509KeyPair(t.Cert, t.Key); err != nil {
			k.fault("tls.cert", "cannot use certificate and key: "+fileError(err))
		}
	}
	k.clientCA()
	k.crl()
}

// crl checks that there are lists, and certificates for them to be about.
func (k *checker) crl() {
	t := k.c.TLS
	if t.CRL == "" {
		return
	}
	if t.ClientCA == "" {
		k.fault("tls.crl", "there is no tls.client_ca for it")
	}
	if _, err := ReadRevocations(t.CRL); err != nil {
		k.fault("tls.crl", err.Error())
	}
}

func (k *checker) clientCA() {
	ca := k.c.TLS.ClientCA
	if ca == "" {
		if k.c.TLS.Mode == "verify-full" {
			k.fault("tls.mode", "verify-full needs tls.client_ca, which signs the clients' certificates")
		}
		return
	}
	data, err := os.ReadFile(ca)
	if err != nil {
		k.fault("tls.client_ca", "cannot read it: "+fileError(err))
		return
	}
	if !x509.NewCertPool().AppendCertsFromPEM(data) {
		k.fault("tls.client_ca", "holds no PEM certificate")
	}
}

// audit checks that there is a place for the log. That may be mended while the
// proxy runs, so it is no fault.
func (k *checker) audit() {
	a := k.c.Audit
	if a.Path == "" {
		if a.Required {
			k.fault("audit.required", "needs audit.path")
		}
		return
	}
	warn := func(msg string) {
		k.faults = append(k.faults, Fault{Pos: k.origins["audit.path"], Key: "audit.path", Msg: msg, Warning: true})
	}
	if info, err := os.Stat(filepath.Dir(a.Path)); err != nil || !info.IsDir() {
		warn("there is no folder " + filepath.Dir(a.Path))
		return
	}
	if info, err := os.Lstat(a.Path); err == nil && !info.Mode().IsRegular() {
		warn("is not a regular file; links, pipes and devices are not written to")
	}
}

// plans checks that a shared store has its place.
func (k *checker) plans() {
	if p := k.c.Planner; p.Store == "postgres" && p.DSN == "" {
		k.fault("planner.store", "postgres needs planner.dsn")
	}
}

// index checks that a shared store has its place, and that there is a provider
// for its model.
func (k *checker) index() {
	if i := k.c.Index; i.Store == "pgvector" && i.DSN == "" {
		k.fault("index.store", "pgvector needs index.dsn")
	}
	if k.c.Embeddings.Provider != "openai" {
		return
	}
	if k.c.Embeddings.Model == "" {
		k.fault("embeddings.provider", "openai needs embeddings.model, the name of the model to ask for there")
	}
	if k.c.LLM.BaseURL == "" && k.c.LLM.Replay == "" {
		k.fault("embeddings.provider", "openai needs llm.base_url")
	}
}

// model checks the provider, if there is one.
func (k *checker) model() {
	l := k.c.LLM
	if l.Record != "" && l.Replay != "" {
		k.fault("llm.replay", "llm.record is set too; answers are either written or read")
	}
	if l.BaseURL == "" {
		return
	}
	u, err := url.Parse(l.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		k.fault("llm.base_url", "must be a URL such as https://api.example.com/v1")
	}
	if l.Model == "" {
		k.fault("llm.base_url", "needs llm.model, the name of the model to ask for there")
	}
}
