package transaction

import (
	"fmt"

	"github.com/pgask/pgask/proxy/wire"
)

// text is the oid of the type text.
const text = 25

// AppendRestore appends the frames that give a backend, idle and outside of a
// transaction, the client's values where its own differ: none, or one batch
// that ends with a Sync. Values go as parameters of set_config, which takes
// them as they were reported; they are never part of a statement's text. The
// batch is one transaction: all or, on an error, nothing is set.
//
// A RESET by the client takes the backend's own default, so backends are shared
// only among clients with the same start-up parameters.
//
// It returns dst as it was where a value fits into no message.
func AppendRestore(dst []byte, client, backend *Values) ([]byte, error) {
	r := restorer{frames: dst, encoding: backend.values[clientEncoding].text}
	for p := range parameters {
		if p == clientEncoding || !client.known.Has(p) || !backend.known.Has(p) || client.values[p] == backend.values[p] {
			continue
		}
		v := client.values[p]
		if v.encoding != "" {
			r.encode(v.encoding)
		}
		r.add(p, v.text)
	}
	if client.known.Has(clientEncoding) && backend.known.Has(clientEncoding) {
		r.encode(client.values[clientEncoding].text)
	}
	r.flush()
	if r.err != nil {
		return dst, r.err
	}
	if len(r.frames) > len(dst) {
		r.frames = wire.AppendSync(r.frames)
	}
	return r.frames, nil
}

// restorer gathers what can be set by one statement: everything up to a change
// of the encoding, in which Postgres reads the messages that follow.
type restorer struct {
	frames   []byte
	encoding string
	pairs    [2 * parameters]string
	n        int
	err      error
}

func (r *restorer) add(p Parameter, value string) {
	r.pairs[r.n], r.pairs[r.n+1] = p.String(), value
	r.n += 2
}

// encode makes the encoding that of what follows.
func (r *restorer) encode(encoding string) {
	if encoding == r.encoding {
		return
	}
	r.flush()
	r.encoding = encoding
	r.add(clientEncoding, encoding)
	r.flush()
}

// setters are the texts that set as many parameters as their place says.
var setters = func() (texts [parameters + 1]string) {
	text, comma := "SELECT ", ""
	for i := range parameters {
		text += fmt.Sprintf("%spg_catalog.set_config($%d, $%d, false)", comma, 2*i+1, 2*i+2)
		texts[i+1], comma = text, ", "
	}
	return texts
}()

// oids are the types of their parameters.
var oids = func() (types [2 * parameters]uint32) {
	for i := range types {
		types[i] = text
	}
	return types
}()

// flush appends the frames of what was gathered.
func (r *restorer) flush() {
	if r.n == 0 || r.err != nil {
		return
	}
	if r.frames, r.err = wire.AppendParse(r.frames, "", setters[r.n/2], oids[:r.n]); r.err != nil {
		return
	}
	if r.frames, r.err = wire.AppendBindTexts(r.frames, "", "", r.pairs[:r.n]...); r.err != nil {
		return
	}
	r.frames, r.err = wire.AppendExecute(r.frames, "")
	r.n = 0
}
