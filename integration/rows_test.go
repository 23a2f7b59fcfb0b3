package integration

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// table runs a statement with the simple protocol, as psql does, and gives its
// rows in text form, columns joined by " | ". Numbers lose their trailing
// zeros, so that 1.50 is 1.5.
func table(t testing.TB, conn *pgx.Conn, sql string) []string {
	t.Helper()
	lines, err := tryTable(conn, sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return lines
}

func tryTable(conn *pgx.Conn, sql string) ([]string, error) {
	results, err := conn.PgConn().Exec(context.Background(), sql).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, fmt.Errorf("%d results, want one", len(results))
	}
	return textRows(results[0]), nil
}

func textRows(r *pgconn.Result) []string {
	lines := make([]string, len(r.Rows))
	for i, row := range r.Rows {
		cells := make([]string, len(row))
		for j, v := range row {
			cells[j] = "NULL"
			if v != nil {
				cells[j] = plainNumber(string(v))
			}
		}
		lines[i] = strings.Join(cells, " | ")
	}
	return lines
}

func plainNumber(text string) string {
	n, ok := new(big.Rat).SetString(text)
	if !ok || strings.ContainsAny(text, "/eE_x") {
		return text
	}
	return strings.TrimSuffix(strings.TrimRight(n.FloatString(8), "0"), ".")
}

// sorted is a copy in order, for results whose order means nothing.
func sorted(lines []string) []string { return slices.Sorted(slices.Values(lines)) }

// sqlState is the code of a Postgres error, or what else happened.
func sqlState(err error) string {
	if err == nil {
		return "success"
	}
	var coded *pgconn.PgError
	if asError(err, &coded) {
		return coded.Code
	}
	return err.Error()
}
