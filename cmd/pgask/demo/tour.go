package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// step is one stop of the tour: who types what, and what must come back.
type step struct {
	say  string // printed before, where there is something to say
	user string
	sql  string

	same    string // SQL that a superuser runs direct and that gives the same rows
	ordered bool   // the order of those rows counts
	rows    int    // how many rows there must be, where same is empty
	holds   string // what the first value must hold
	refused string // SQLSTATE of the refusal
	notice  string // SQLSTATE of a notice that must come
}

// show walks the tour and says what to try next. It is an error when a step was
// not as expected.
func show(ctx context.Context, o Options, addr string, db *database) error {
	p := printer{w: o.Stdout, color: o.Color}
	direct, err := connect(ctx, db.superuser())
	if err != nil {
		return err
	}
	defer direct.close(ctx)
	g := guide{p: p, addr: addr, direct: direct, sessions: map[string]*client{}}
	defer g.close(ctx)
	failed := 0
	for _, s := range steps(o.Today) {
		if err := g.take(ctx, s); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			p.failure(err.Error())
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d steps of the tour failed", failed, len(steps(o.Today)))
	}
	if !o.Once {
		invite(p, addr)
	}
	return nil
}

// guide holds what the steps share: a session for each user, and one that goes
// round pgask to see what is true.
type guide struct {
	p        printer
	addr     string
	direct   *client
	sessions map[string]*client
}

func (g guide) close(ctx context.Context) {
	for _, c := range g.sessions {
		c.close(ctx)
	}
}

func (g guide) session(ctx context.Context, user string) (*client, error) {
	if c, ok := g.sessions[user]; ok {
		return c, nil
	}
	c, err := connect(ctx, proxyDSN(g.addr, user))
	if err != nil {
		return nil, fmt.Errorf("log in as %s: %w", user, err)
	}
	g.sessions[user] = c
	return c, nil
}

// take runs a step, prints it and compares.
func (g guide) take(ctx context.Context, s step) error {
	if s.say != "" {
		g.p.say(s.say)
	}
	g.p.statement(s.user, s.sql)
	c, err := g.session(ctx, s.user)
	if err != nil {
		return err
	}
	got, err := c.query(ctx, s.sql)
	for _, n := range c.notices {
		g.p.notice(n)
	}
	if err != nil {
		g.p.refusal(err)
		return s.expectRefusal(err)
	}
	g.p.result(got)
	return errors.Join(s.expectNotice(c.notices), g.expectRows(ctx, s, got))
}

func (s step) expectRefusal(err error) error {
	coded, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case s.refused == "":
		return errors.New("expected an answer")
	case !ok || coded.Code != s.refused:
		return fmt.Errorf("expected a refusal with SQLSTATE %s", s.refused)
	}
	return nil
}

func (s step) expectNotice(notices []*pgconn.Notice) error {
	if s.notice == "" || slices.ContainsFunc(notices, func(n *pgconn.Notice) bool { return n.Code == s.notice }) {
		return nil
	}
	return fmt.Errorf("expected a notice with SQLSTATE %s", s.notice)
}

func (g guide) expectRows(ctx context.Context, s step, got rows) error {
	if s.refused != "" {
		return fmt.Errorf("expected a refusal with SQLSTATE %s", s.refused)
	}
	if s.same == "" {
		if len(got.values) != s.rows {
			return fmt.Errorf("%d rows, expected %d", len(got.values), s.rows)
		}
		if s.holds != "" && (got.values[0][0] == nil || !strings.Contains(*got.values[0][0], s.holds)) {
			return fmt.Errorf("%q is not in it", s.holds)
		}
		return nil
	}
	want, err := g.direct.query(ctx, s.same)
	if err != nil {
		return fmt.Errorf("run the comparison: %w", err)
	}
	if difference := differ(got, want, s.ordered); difference != "" {
		return errors.New(difference)
	}
	return nil
}

// invite says how to go on by hand.
func invite(p printer, addr string) {
	host, port, err := net.SplitHostPort(addr)
	if err == nil {
		host, port = reachable(net.JoinHostPort(host, port))
	}
	p.say("Try it yourself. Users are ana, ben, finn, bot and dba; passwords are the names:")
	fmt.Fprintf(p.w, "  PGPASSWORD=ana psql -h %s -p %s -U ana %s\n", host, port, databaseName)
	fmt.Fprintf(p.w, "  %s\n", strings.Join([]string{"ASK 'revenue per month this year';", "ASK SQL 'orders by status';", "SHOW pgask.policy;"}, "  "))
	fmt.Fprintf(p.w, "What the proxy is doing:\n  PGPASSWORD=dba psql -h %s -p %s -U dba pgask -c 'SHOW HELP'\n", host, port)
	fmt.Fprintln(p.w, "\nCtrl-C stops everything and removes it.")
}
