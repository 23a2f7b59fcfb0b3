package pool

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// lotKey is what backends are counted by: login and mode. An empty user is the
// dsn's own login.
type lotKey struct {
	user     string
	governed bool
}

func keyOf(r Request) lotKey {
	k := lotKey{governed: r.Governed}
	if r.Login != nil {
		k.user = r.Login.User
	}
	return k
}

// Prepared is the request with what it is compared by, so that a request that
// is made again and again need not be spelled out every time.
func (r Request) Prepared() Request {
	r.shape = shapeOf(r)
	return r
}

// shapeOf spells what two requests of one lot must have in common to share
// backends: start-up parameters, the password, since it may have changed because
// the old one leaked, and whether they run on loops.
func shapeOf(r Request) string {
	if r.shape != "" {
		return r.shape
	}
	var b strings.Builder
	part := func(s string) {
		b.WriteString(strconv.Itoa(len(s)))
		b.WriteByte(':')
		b.WriteString(s)
	}
	if r.Login != nil {
		part(r.Login.Password)
	}
	b.WriteByte('|')
	if r.Loop != nil {
		b.WriteByte('l')
	}
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		part(name)
		part(r.Params[name])
	}
	return b.String()
}

// replication reports whether the parameters ask for a WAL sender. Everything
// but a clear no is a yes.
func replication(params map[string]string) bool {
	switch params["replication"] {
	case "", "false", "off", "no", "0":
		return false
	}
	return true
}
