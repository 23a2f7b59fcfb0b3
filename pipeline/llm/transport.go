package llm

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"unicode/utf8"
)

// What can be wrong with a reply's body before it is read as JSON.
var (
	errTooBig  = errors.New("reply too big")
	errCut     = errors.New("reply cut off")
	errNotText = errors.New("reply is not UTF-8")
)

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
		return res, nil
	}
	defer res.Body.Close()
	text, err := t.whole(res.Body)
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(text))
	return res, nil
}

type body struct {
	io.Reader
	io.Closer
}

// whole reads a reply within the bound. A decoder of JSON would take other
// bytes than UTF-8 for question marks.
func (t *transport) whole(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, t.limit+1))
	switch {
	case err != nil:
		return nil, errCut
	case int64(len(text)) > t.limit:
		return nil, errTooBig
	case !utf8.Valid(text):
		return nil, errNotText
	}
	return text, nil
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
