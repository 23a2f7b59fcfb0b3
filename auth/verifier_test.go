package auth

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
)

// golden are verifiers that PostgreSQL 15 made (CREATE ROLE … PASSWORD, then
// pg_authid.rolpassword).
var golden = []struct{ name, password, verifier string }{
	{"ascii", "ana", "SCRAM-SHA-256$4096:ZvD2YfflhDAg47MtKABpSQ==$/42deQdTElgRHpojSffPmlw0mGo/xNRpsBxcwJ0thjA=:mSPT4HR5mpXlwFEB2gsX8HjBtlUucR4P/WraQ2RTkgY="},
	{"soft_hyphen", "I\u00adX", "SCRAM-SHA-256$4096:KRGcBndAb3UjY3kT44w3dg==$0MNmrzMMq86PIfMRGNDumw85NhT3GSvduFF6oLDI+/E=:LcZ0JZaX4m+26WJ2v03flHlqGRyBdCgldqbAgW5fDrY="},
	{"compatibility", "\u00aa \u2168 p\u00e4ss ' \"q\"", "SCRAM-SHA-256$4096:bdozsAmckYlPsIc9FYYZ5Q==$gKEc4W8g2NbWMsvBbY78rk62L27XaNNDGM9fEq5vH/Y=:DTAboYbmQbUKtZbrdBXMYRXqbEn+wLE1mMFEd4N9NK4="},
	// SASLprep refuses the bell, so the password is taken as it is.
	{"bell", "x\ay", "SCRAM-SHA-256$4096:dxhbW5lmkwnwuvB0N2bqnQ==$8+6ZGMPYl0rrSkVTSq6I7jUjzlMz8+XGIjzvsmdVUgQ=:y+L/PIT1M5hQyKt8GcHs3v5hpQ7BHjJyBN3OdXdDZY4="},
	{"scripts", "漢字 пароль", "SCRAM-SHA-256$4096:nbn46JIcK8yNvZjbuzAu+Q==$cqEoG4+ppA+e4ZsbsXPwx0uuBylBuHCEAEQJOlrutHs=:MGbmacNM1s4RpNlIscLK0Vo4uhu5p22sOYzFUZ8rRNo="},
}

func TestHashIsPostgres(t *testing.T) {
	for _, g := range golden {
		c, err := parseVerifier(g.verifier)
		if err != nil {
			t.Fatal(err)
		}
		got, err := hashWith(g.password, []byte(c.Salt), c.Iters)
		if err != nil || got != g.verifier {
			t.Errorf("%q: %s, %v; want %s", g.password, got, err, g.verifier)
		}
		// A verifier that Postgres made lets its password in here.
		s, faults := NewStore(&configs.Users{Users: []configs.User{{Name: "u", Password: g.verifier}}})
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if err := login(t, s.Begin("u", Binding{}), "", g.password); err != nil {
			t.Errorf("%q: %v", g.password, err)
		}
	}
}

func TestHashRefuses(t *testing.T) {
	for _, password := range []string{"", "a\x00b"} {
		if v, err := Hash(password); err == nil {
			t.Errorf("Hash(%q) = %s", password, v)
		}
	}
	a, _ := Hash("x")
	b, _ := Hash("x")
	if a == b {
		t.Error("two verifiers have the same salt")
	}
}

// TestPostgresTakesVerifier gives a real server a verifier of ours and logs in
// with the password.
func TestPostgresTakesVerifier(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, err := postgres.Start(ctx, postgres.Options{SCRAM: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() })
	admin, err := pgx.Connect(ctx, server.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(ctx)
	for _, g := range golden {
		verifier, err := Hash(g.password)
		if err != nil {
			t.Fatal(err)
		}
		role := g.name
		if _, err := admin.Exec(ctx, "CREATE ROLE "+role+" LOGIN; ALTER ROLE "+role+" PASSWORD '"+verifier+"'"); err != nil {
			t.Fatal(err)
		}
		var stored string
		if err := admin.QueryRow(ctx, "SELECT rolpassword FROM pg_authid WHERE rolname = $1", role).Scan(&stored); err != nil || stored != verifier {
			t.Errorf("Postgres keeps %s, %v; want %s", stored, err, verifier)
		}
		if role == "soft_hyphen" || role == "compatibility" {
			continue // pgconn prepares these by PRECIS, unlike libpq; TestHashIsPostgres has them
		}
		conn, err := pgconn.Connect(ctx, server.UserDSN("postgres", role, g.password))
		if err != nil {
			t.Errorf("login with %q: %v", g.password, err)
			continue
		}
		_ = conn.Close(ctx)
		if conn, err := pgconn.Connect(ctx, server.UserDSN("postgres", role, g.password+"x")); err == nil {
			_ = conn.Close(ctx)
			t.Error("any password will do")
		}
	}
}
