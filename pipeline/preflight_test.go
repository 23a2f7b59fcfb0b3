package pipeline

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// What can't be measured must not pass as small.
func TestUnmeasuredRelationFails(t *testing.T) {
	f := newFixture(t)
	if _, err := f.conn.Exec(t.Context(), `CREATE FOREIGN DATA WRAPPER w; CREATE SERVER far FOREIGN DATA WRAPPER w;
		CREATE FOREIGN TABLE distant (id int) SERVER far; CREATE ROLE nobody_here; SET ROLE nobody_here`); err != nil {
		t.Fatal(err)
	}
	rowsOf := func(name string) (float64, error) {
		sizes := map[relation]float64{{"public", name}: 7}
		err := measure(t.Context(), f.conn.PgConn(), sizes)
		return sizes[relation{"public", name}], err
	}
	if n, err := rowsOf("sales"); n != 600 || err != nil {
		t.Errorf("counted: %g, %v", n, err)
	}
	if n, err := rowsOf("uncounted"); n != 7 || err != nil {
		t.Errorf("not to be read: %g, %v", n, err)
	}
	if _, err := f.conn.Exec(t.Context(), "RESET ROLE; DROP ROLE nobody_here"); err != nil {
		t.Fatal(err)
	}
	if n, err := rowsOf("distant"); err == nil {
		t.Errorf("a relation that can't be planned: %g", n)
	}
}

func TestWhoseErrorAFailedPreflightIs(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for _, c := range []struct {
		err  error
		want string
	}{
		{&pgconn.PgError{Code: "42883"}, "42883"},
		{&pgconn.PgError{Code: "22012"}, "22012"},
		{&pgconn.PgError{Code: "42501"}, "PA004"},
		{&pgconn.PgError{Code: "57014"}, "PA004"},
		{&pgconn.PgError{Code: "57P01"}, "PA004"},
		{errors.New("unexpected EOF"), "PA004"},
		{unreachable("shop", errors.New("connection refused")), "57P03"},
	} {
		if got := s.explainFailed(t.Context(), c.err, nil); sqlState(got) != c.want {
			t.Errorf("%v: %v, want %s", c.err, got, c.want)
		}
	}
}

// A COPY that is as long as it may be is longer once it is rewritten, and has its
// cost estimated all the same.
func TestPreflightOfALongCopy(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	const around = "COPY (SELECT id FROM shops WHERE city = '') TO STDOUT"
	text := strings.Replace(around, "''", "'"+strings.Repeat("x", f.pipe.limits.Bytes-len(around))+"'", 1)
	if d := s.Query(t.Context(), text); d.Denial != nil {
		t.Error(d.Denial.Err)
	}
}
