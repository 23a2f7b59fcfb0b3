package proxy

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
)

// nobody admits whoever comes, and says so.
type nobody struct{ came chan string }

func (n nobody) Admit(_ context.Context, who auth.Principal, _ Startup) (Admission, error) {
	n.came <- who.User
	return Admission{}, errCrowded
}

// FuzzLogin: whatever a client sends that knows no password, plain or as TLS,
// in whatever pieces, the connection ends and nobody has logged in.
func FuzzLogin(f *testing.F) {
	verifier, err := auth.Hash("a password that no input holds")
	if err != nil {
		f.Fatal(err)
	}
	store, _ := auth.NewStore(&configs.Users{Users: []configs.User{{Name: "ana", Password: verifier, Roles: []string{"r"}}}})
	config := &tls.Config{Certificates: []tls.Certificate{selfSigned(f)}}
	packet := func(body string) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(4+len(body))), body...)
	}
	message := func(body string) []byte { return append([]byte{'p'}, packet(body)...) }
	hello := packet("\x00\x03\x00\x00user\x00ana\x00database\x00db\x00\x00")
	first := message("SCRAM-SHA-256\x00\x00\x00\x00\x0bn,,n=,r=abc")
	plus := message("SCRAM-SHA-256-PLUS\x00\x00\x00\x00\x1ep=tls-server-end-point,,n=,r=a")
	final := message("c=biws,r=abc,p=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	f.Add(byte(0), append(append(append([]byte{}, hello...), first...), final...))
	f.Add(byte(3), append(append([]byte{}, hello...), plus...))
	f.Add(byte(1), append(packet("\x04\xd2\x16\x30"), packet("\x04\xd2\x16\x2f")...))
	f.Add(byte(0), packet("\x00\x03\x00\x02user\x00ana\x00_pq_.x\x001\x00\x00"))
	f.Add(byte(0), packet("\x04\xd2\x16\x2e\x00\x00\x00\x01beef"))
	f.Add(byte(7), []byte("\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03"))
	f.Fuzz(func(t *testing.T, piece byte, in []byte) {
		came := make(chan string, 1)
		s := New(Options{Auth: func() Users { return store }, Gate: nobody{came}, Limits: Limits{Login: 10 * time.Second, LoginFailures: 100},
			TLS: TLS{Mode: TLSPrefer, Config: func() *tls.Config { return config }}})
		client, near := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, client) }()
		go func() {
			defer client.Close()
			for size := max(1, int(piece)); len(in) > 0; in = in[min(size, len(in)):] {
				if _, err := client.Write(in[:min(size, len(in))]); err != nil {
					return
				}
			}
		}()
		s.serve(near, terms{}, func() {})
		if s.sessions.Load() != 0 || len(s.census.arriving) != 0 || len(s.census.addresses) != 0 || len(s.census.users) != 0 {
			t.Error("somebody is still counted")
		}
		select {
		case who := <-came:
			t.Errorf("%q has logged in", who)
		default:
		}
	})
}

func selfSigned(f *testing.F) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		f.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}
