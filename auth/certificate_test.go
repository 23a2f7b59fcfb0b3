package auth

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"slices"
	"testing"
	"time"

	"github.com/pgask/pgask/configs"
)

func TestCommonNames(t *testing.T) {
	cn := asn1.ObjectIdentifier{2, 5, 4, 3}
	for _, c := range []struct {
		subject []pkix.AttributeTypeAndValue
		want    []string
	}{
		{nil, nil},
		{[]pkix.AttributeTypeAndValue{{Type: cn, Value: "ana"}}, []string{"ana"}},
		{[]pkix.AttributeTypeAndValue{{Type: cn, Value: "ana"}, {Type: asn1.ObjectIdentifier{2, 5, 4, 10}, Value: "acme"}, {Type: cn, Value: "ben"}}, []string{"ana", "ben"}},
		{[]pkix.AttributeTypeAndValue{{Type: cn, Value: ""}, {Type: cn, Value: 7}}, nil},
	} {
		if got := CommonNames(&x509.Certificate{Subject: pkix.Name{Names: c.subject}}); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.subject, got, c.want)
		}
	}
}

func TestByCertificate(t *testing.T) {
	s, faults := NewStore(&configs.Users{Users: []configs.User{
		{Name: "carl", Cert: "CN=carl the great"},
		{Name: "late", Cert: "CN=late", Expires: time.Now().Add(-time.Second)},
		{Name: "soon", Cert: "CN=soon", Expires: time.Now().Add(time.Hour)},
		{Name: "ana"},
	}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, c := range []struct {
		user  string
		names []string
		want  bool
	}{
		{"carl", []string{"carl the great"}, true},
		{"carl", []string{"somebody", "carl the great"}, true},
		{"soon", []string{"soon"}, true},
		{"late", []string{"late"}, false},
		{"carl", []string{"carl"}, false},
		{"carl", []string{"CN=carl the great"}, false},
		{"carl", nil, false},
		{"carl the great", []string{"carl the great"}, false},
		{"ana", []string{"ana"}, false}, // has no cert in users.yaml
		{"ana", []string{""}, false},
		{"nobody", []string{"nobody"}, false},
	} {
		p, err := s.ByCertificate(c.user, c.names)
		if c.want != (p.User == c.user) || c.want != (err == nil) || err != nil && code(err) != "28000" {
			t.Errorf("%s with %q: %+v, %v", c.user, c.names, p, err)
		}
	}
}
