package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"
)

// canned answers every request with the same bytes, without a network.
type canned struct {
	status int
	body   []byte
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: c.status, Header: http.Header{}, Request: r,
		Body: io.NopCloser(bytes.NewReader(c.body))}, nil
}

// Whatever a provider sends is a usable answer or a ProviderError.
func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{envelope("yes"), envelope(""), `{"choices":[]}`, `{"choices":null}`, "null", "[]", "",
		`{"error":{"message":["a"],"code":7}}`, `{"error":{"message":1}}`, `{"choices":[{"message":{"content":[{"type":"text"}]}}]}`} {
		f.Add(200, []byte(s))
		f.Add(429, []byte(s))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 {
			return
		}
		c, err := New(Config{BaseURL: "http://provider", APIKey: secret, HTTP: &http.Client{Transport: canned{status, body}},
			Sleep: func(context.Context, time.Duration) error { return nil }})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := c.Complete(t.Context(), request)
		if err != nil {
			if !errors.As(err, new(*ProviderError)) {
				t.Fatalf("%v is no ProviderError", err)
			}
		} else if reply.Text == "" {
			t.Fatal("an empty answer was taken")
		}
	})
}
