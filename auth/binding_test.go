package auth

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/xdg-go/scram"
)

// TestEndPoint holds the hash to RFC 5929, section 4.1: the signature's own,
// but SHA-256 for MD5 and SHA-1.
func TestEndPoint(t *testing.T) {
	raw := []byte("a certificate's bytes")
	h256, h384, h512 := sha256.Sum256(raw), sha512.Sum384(raw), sha512.Sum512(raw)
	for algorithm, want := range map[x509.SignatureAlgorithm][]byte{
		x509.MD5WithRSA: h256[:], x509.SHA1WithRSA: h256[:], x509.ECDSAWithSHA1: h256[:],
		x509.SHA256WithRSA: h256[:], x509.SHA256WithRSAPSS: h256[:], x509.ECDSAWithSHA256: h256[:],
		x509.SHA384WithRSA: h384[:], x509.ECDSAWithSHA384: h384[:],
		x509.SHA512WithRSA: h512[:], x509.SHA512WithRSAPSS: h512[:], x509.ECDSAWithSHA512: h512[:],
		x509.PureEd25519: nil, x509.UnknownSignatureAlgorithm: nil,
	} {
		if got := EndPoint(&x509.Certificate{Raw: raw, SignatureAlgorithm: algorithm}).channel.Data; !bytes.Equal(got, want) {
			t.Errorf("%s: %x, want %x", algorithm, got, want)
		}
	}
	if got := store(t).Begin("ana", EndPoint(nil)).Mechanisms(); !slices.Equal(got, []string{Mechanism}) {
		t.Errorf("without TLS: %q", got)
	}
}

// bound is a binding to a certificate of that name.
func bound(name string) Binding {
	return EndPoint(&x509.Certificate{Raw: []byte(name), SignatureAlgorithm: x509.SHA256WithRSA})
}

func TestChannelBinding(t *testing.T) {
	s := store(t)
	client, err := scram.SHA256.NewClient("", "ana", "")
	if err != nil {
		t.Fatal(err)
	}
	unaware := client.NewConversation
	told := client.NewConversationAdvertisingChannelBinding // y: told that the server has none
	bind := func(name string) func() *scram.ClientConversation {
		return func() *scram.ClientConversation {
			return client.NewConversationWithChannelBinding(bound(name).channel)
		}
	}
	for _, c := range []struct {
		name      string
		offered   Binding
		mechanism string
		client    func() *scram.ClientConversation
		code      string
		text      string
	}{
		{"bound", bound("ours"), MechanismPlus, bind("ours"), "", ""},
		{"a client without binding", bound("ours"), Mechanism, unaware, "", ""},
		{"no TLS", Binding{}, Mechanism, unaware, "", ""},
		{"no TLS, a client that could bind", Binding{}, Mechanism, told, "", ""},
		{"somebody in the middle", bound("ours"), MechanismPlus, bind("theirs"), "28000", "SCRAM channel binding check failed"},
		{"the offer was hidden", bound("ours"), Mechanism, told, "28000", "SCRAM channel binding negotiation error"},
		{"chosen without an offer", Binding{}, MechanismPlus, bind("ours"), "08P01", "client selected an invalid SASL authentication mechanism"},
		{"chosen and not used", bound("ours"), MechanismPlus, unaware, "08P01", "malformed SCRAM message"},
		{"chosen and not believed", bound("ours"), MechanismPlus, told, "08P01", "malformed SCRAM message"},
		{"used and not chosen", bound("ours"), Mechanism, bind("ours"), "08P01", "malformed SCRAM message"},
		{"used without an offer", Binding{}, Mechanism, bind("ours"), "08P01", "malformed SCRAM message"},
		{"another mechanism", bound("ours"), "SCRAM-SHA-1", unaware, "08P01", "client selected an invalid SASL authentication mechanism"},
	} {
		x := s.Begin("ana", c.offered)
		err := x.Choose(c.mechanism)
		if err == nil {
			err = converse(x, c.client())
		}
		if code(err) != c.code || err != nil && err.Error() != c.text {
			t.Errorf("%s: %v, want %s %s", c.name, err, c.code, c.text)
		}
		if won := x.Principal().User == "ana"; won != (c.code == "") {
			t.Errorf("%s: logged in: %t", c.name, won)
		}
	}
}

// TestBindingTypes: Postgres has one, and refuses the others.
func TestBindingTypes(t *testing.T) {
	for _, name := range []string{"tls-unique", "tls-exporter", "TLS-SERVER-END-POINT", "x", ""} {
		x := store(t).Begin("ana", bound("ours"))
		if err := x.Choose(MechanismPlus); err != nil {
			t.Fatal(err)
		}
		if _, _, err := x.Step([]byte("p=" + name + ",,n=,r=abc")); code(err) != "08P01" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// converse runs an exchange to its end and returns the server's error.
func converse(x *Exchange, conv *scram.ClientConversation) error {
	var challenge string
	for !strings.HasPrefix(challenge, "v=") {
		message, err := conv.Step(challenge)
		if err != nil {
			return err
		}
		reply, _, err := x.Step([]byte(message))
		if err != nil {
			return err
		}
		challenge = string(reply)
	}
	if _, err := conv.Step(challenge); err != nil || !conv.Valid() {
		return errors.Join(errors.New("the client does not accept the server"), err)
	}
	return nil
}
