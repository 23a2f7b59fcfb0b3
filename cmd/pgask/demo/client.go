package demo

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"github.com/jackc/pgx/v5/pgconn"
)

// client is a session of one user, through pgask or direct.
type client struct {
	conn    *pgconn.PgConn
	notices []*pgconn.Notice
}

// rows is a result in text form; a nil value is NULL.
type rows struct {
	columns []string
	values  [][]*string
}

// proxyDSN is the connection string that a user of the demo would type. The
// password is the user's name.
func proxyDSN(addr, user string) string {
	host, port := reachable(addr)
	u := url.URL{Scheme: "postgres", User: url.UserPassword(user, user), Host: net.JoinHostPort(host, port),
		Path: "/" + databaseName, RawQuery: "sslmode=require"}
	return u.String()
}

// reachable turns a listening address into one to connect to.
func reachable(addr string) (host, port string) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr, ""
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	return host, port
}

func connect(ctx context.Context, dsn string) (*client, error) {
	c := &client{}
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { c.notices = append(c.notices, n) }
	if c.conn, err = pgconn.ConnectConfig(ctx, config); err != nil {
		return nil, err
	}
	return c, nil
}

// query runs one statement with the simple protocol, as psql does. The notices
// of the client are those of the last query.
func (c *client) query(ctx context.Context, sql string) (rows, error) {
	c.notices = nil
	results, err := c.conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		return rows{}, err
	}
	if len(results) != 1 {
		return rows{}, fmt.Errorf("%d results, want one", len(results))
	}
	var out rows
	for _, f := range results[0].FieldDescriptions {
		out.columns = append(out.columns, f.Name)
	}
	for _, row := range results[0].Rows {
		values := make([]*string, len(row))
		for i, v := range row {
			if v != nil {
				text := string(v)
				values[i] = &text
			}
		}
		out.values = append(out.values, values)
	}
	return out, nil
}

func (c *client) close(ctx context.Context) { _ = c.conn.Close(context.WithoutCancel(ctx)) }
