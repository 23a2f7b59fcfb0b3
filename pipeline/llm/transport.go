package llm

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// errTooBig says that a reply's body passed the limit.
var errTooBig = errors.New("reply too big")

// errorBytes is how much of a failure's body is read: enough for its code.
const errorBytes = 64 << 10

// transport bounds replies, which the library reads whole, and spells the
// temperature 0 that the library can't.
type transport struct {
	http  *http.Client
	limit int64
}

// Do sends one request.
func (t *transport) Do(req *http.Request) (*http.Response, error) {
	if err := spellZero(req); err != nil {
		return nil, err
	}
	res, err := t.http.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= http.StatusBadRequest {
		// A long error page must not hide its status behind errTooBig.
		res.Body = body{io.LimitReader(res.Body, errorBytes), res.Body}
	} else {
		res.Body = body{&bounded{r: res.Body, left: t.limit}, res.Body}
	}
	return res, nil
}

type body struct {
	io.Reader
	io.Closer
}

// bounded fails where io.LimitReader would pretend that the reply ended.
type bounded struct {
	r    io.Reader
	left int64
}

// Read reads within the bound.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, errTooBig
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		return n, errTooBig
	}
	return n, err
}

// spellZero replaces the stand-in of temperature 0. Inside the prompt the same
// letters are escaped, so that they can't match.
func spellZero(req *http.Request) error {
	text, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	text = bytes.Replace(text, []byte(`"temperature":1e-45`), []byte(`"temperature":0`), 1)
	req.Body = io.NopCloser(bytes.NewReader(text))
	req.ContentLength = int64(len(text))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	return nil
}
