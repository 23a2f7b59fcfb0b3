package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/cmd/pgask/demo/company"
	"github.com/pgask/pgask/integration/postgres"
)

// databaseName is what clients connect to, in Postgres as through pgask.
const databaseName = "acme"

// database is the Postgres that holds the company: one that we started, or one
// that was given.
type database struct {
	admin    *url.URL         // a superuser's
	server   *postgres.Server // nil for one that was given
	password string           // of the company's logins, made up for this run
}

// prepare starts or finds the server and loads the company.
func prepare(ctx context.Context, o Options, today time.Time) (*database, error) {
	db := &database{password: rand.Text()}
	if err := db.open(ctx, o); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := db.load(ctx, today); err != nil {
		removing(&err, db.remove())
		return nil, err
	}
	fmt.Fprintf(o.Stdout, "Loaded the sample company into database %s in %.1f s.\n", databaseName, time.Since(began).Seconds())
	return db, nil
}

func (db *database) open(ctx context.Context, o Options) error {
	dsn := o.DSN
	if dsn == "" {
		began := time.Now()
		server, err := postgres.Start(ctx, postgres.Options{Dir: o.Data, SCRAM: true, Log: o.Stdout})
		if err != nil {
			return err
		}
		db.server, dsn = server, server.DSN("postgres")
		fmt.Fprintf(o.Stdout, "Started a throw-away Postgres on port %d in %.1f s.\n", server.Port, time.Since(began).Seconds())
	}
	u, err := url.Parse(dsn)
	if err != nil || u.Hostname() == "" {
		return errors.New("--dsn: want postgres://superuser:password@host:5432/postgres")
	}
	db.admin = u
	return nil
}

func (db *database) load(ctx context.Context, today time.Time) error {
	err := with(ctx, db.admin.String(), func(conn *pgx.Conn) error {
		if err := company.CreateDatabase(ctx, conn, databaseName); err != nil {
			return err
		}
		return company.CreateLogins(ctx, conn, db.password)
	})
	if err != nil {
		return err
	}
	return with(ctx, db.superuser(), func(conn *pgx.Conn) error {
		return company.Generate(company.Seed, today).Load(ctx, conn)
	})
}

// dsn is the connection string of one of the company's logins.
func (db *database) dsn(login string) string {
	u := *db.admin
	u.User, u.Path = url.UserPassword(login, db.password), "/"+databaseName
	return u.String()
}

// superuser is the connection string for SQL that nothing may hold back.
func (db *database) superuser() string {
	u := *db.admin
	u.Path = "/" + databaseName
	return u.String()
}

// remove stops a server that is ours and cleans up one that isn't. It runs
// after the demo was told to stop, so it has a time limit of its own.
func (db *database) remove() error {
	if db.server != nil {
		return db.server.Stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	return with(ctx, db.admin.String(), func(conn *pgx.Conn) error {
		return errors.Join(company.DropDatabase(ctx, conn, databaseName), company.DropLogins(ctx, conn))
	})
}

func with(ctx context.Context, dsn string, use func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	return errors.Join(use(conn), conn.Close(context.WithoutCancel(ctx)))
}
