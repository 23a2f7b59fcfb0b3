package transaction_test

import (
	"strings"
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/proxy/transaction"
)

// least is what Scan must say at the least of a text that Postgres's parser
// takes, going by the statements' trees; ok is false for what it refuses.
func least(text string) (least transaction.Effects, ok bool) {
	if len(text) > 4_000 || strings.Count(text, "(") > 200 {
		return 0, false
	}
	tree, err := pg_query.Parse(text)
	if err != nil {
		return 0, false
	}
	for _, s := range tree.Stmts {
		least |= leaves(s.Stmt)
	}
	return least, true
}

// leaves is what a statement leaves behind for all that its tree shows.
func leaves(n *pg_query.Node) transaction.Effects {
	switch n := n.Node.(type) {
	case *pg_query.Node_ListenStmt, *pg_query.Node_PrepareStmt, *pg_query.Node_LoadStmt:
		return transaction.Pins
	case *pg_query.Node_DeallocateStmt:
		if n.DeallocateStmt.Name == "" {
			return transaction.DeallocatesAll
		}
		return transaction.Names
	case *pg_query.Node_ExecuteStmt:
		return transaction.Names
	case *pg_query.Node_DeclareCursorStmt:
		if n.DeclareCursorStmt.Options&0x20 != 0 { // CURSOR_OPT_HOLD
			return transaction.Pins
		}
	case *pg_query.Node_CreateStmt:
		if r := n.CreateStmt.Relation; r.Schemaname == "pg_temp" || r.Relpersistence == "t" && n.CreateStmt.Oncommit != pg_query.OnCommitAction_ONCOMMIT_DROP {
			return transaction.Pins
		}
	case *pg_query.Node_CreateTableAsStmt:
		if into := n.CreateTableAsStmt.Into; into.Rel.Relpersistence == "t" && into.OnCommit != pg_query.OnCommitAction_ONCOMMIT_DROP {
			return transaction.Pins
		}
	case *pg_query.Node_SelectStmt:
		if into := n.SelectStmt.IntoClause; into != nil && into.Rel.Relpersistence == "t" {
			return transaction.Pins
		}
	case *pg_query.Node_ExplainStmt:
		return leaves(n.ExplainStmt.Query)
	case *pg_query.Node_VariableSetStmt:
		return sets(n.VariableSetStmt)
	}
	return 0
}

func sets(n *pg_query.VariableSetStmt) transaction.Effects {
	var one transaction.Values
	one.Note(n.Name, "")
	known := one.Reported() != 0
	switch n.Kind {
	case pg_query.VariableSetKind_VAR_SET_MULTI:
		if n.Name == "SESSION CHARACTERISTICS" {
			return transaction.Pins
		}
	case pg_query.VariableSetKind_VAR_RESET_ALL:
		return transaction.Reports
	case pg_query.VariableSetKind_VAR_RESET:
		if known {
			return transaction.Reports
		}
	default:
		switch {
		case n.IsLocal:
		case known:
			return transaction.Reports
		default:
			return transaction.Pins
		}
	}
	return 0
}

// FuzzOracle compares Scan with Postgres's own parser: what the parser's trees
// show must have been said.
func FuzzOracle(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := transaction.Scan(text, reported(18))
		want, ok := least(text)
		if !ok || strings.Contains(text, "\x00") {
			return
		}
		if missing := want &^ got; missing != 0 && !got.Has(transaction.Pins) {
			t.Errorf("%q: %q, and not %q", text, show(got), show(missing))
		}
	})
}

// seeds hold every kind of token and statement.
var seeds = []string{
	"SELECT 1; LISTEN a", "PREPARE a AS SELECT $1", "PREPARE TRANSACTION 'a'", "EXPLAIN ANALYZE SELECT 1 INTO TEMP a", "LOAD 'a'",
	"CREATE TEMP TABLE a (b int) ON COMMIT DROP", "CREATE LOCAL TEMPORARY TABLE a ON COMMIT PRESERVE ROWS AS SELECT 1", "EXECUTE a(1)",
	"DECLARE a INSENSITIVE CURSOR WITH HOLD FOR SELECT 1", "SET SESSION a.b TO DEFAULT", "SET LOCAL a = 1", "SET local.a = 1", "RESET ALL",
	"SET TIME ZONE LOCAL", "SET NAMES 'a'", "SET SCHEMA 'a'", "SET ROLE a", "SET SESSION AUTHORIZATION 'a'", "SET TRANSACTION READ ONLY",
	"SET CONSTRAINTS ALL DEFERRED", "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY", "SET XML OPTION DOCUMENT", "DISCARD ALL", "DEALLOCATE PREPARE ALL",
	`SELECT E'\'', 'a''b', U&'\0061', B'1', X'f', N'a', $a$b$a$, $$ $$, "a""b", U&"\0061" -- c` + "\n; LISTEN b",
	"/* a /* b */ c */ SELECT 1e5, .5, 1., $1 @-- d\n 2; SET a = b", "DO $$ BEGIN LISTEN a; END $$", "SELECT 'a'\n'b\\c' ; LISTEN d",
	"SELECT set_config('a', 'b', true), pg_advisory_lock(1), pg_temp.f()", "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END", "SET \"a\"=1;;",
}

// TestOracle runs the oracle over combinations of the seeds.
func TestOracle(t *testing.T) {
	parsed := 0
	for _, a := range seeds {
		for _, b := range seeds {
			for _, between := range []string{";", "; -- x\n", " ;/* ' */ "} {
				text := a + between + b
				want, ok := least(text)
				if !ok {
					continue
				}
				parsed++
				got := transaction.Scan(text, reported(18))
				if missing := want &^ got; missing != 0 && !got.Has(transaction.Pins) {
					t.Errorf("%q: %q, and not %q", text, show(got), show(missing))
				}
			}
		}
	}
	if parsed < 1000 {
		t.Errorf("the parser took only %d texts", parsed)
	}
}

// vocabulary is what FuzzLayout makes texts of.
var vocabulary = strings.Fields(`SELECT SET LOCAL SESSION RESET TO = ; , ( ) true false set_config pg_advisory_lock "pg_temp" temp CREATE TEMPORARY TABLE
	INTO INSERT ON COMMIT DROP DECLARE CURSOR WITH HOLD FOR PREPARE TRANSACTION 'a' 'pg_temp' E'\'' $a$LISTEN$a$ $$BEGIN;LISTEN$$ DO LISTEN LOAD DISCARD ALL
	DEALLOCATE EXECUTE FUNCTION timezone TIME ZONE NAMES SCHEMA search_path work_mem a.b 1 2.5 + - * / UPDATE pg_settings CHARACTERISTICS $1 AS`)

// FuzzLayout wants white space, comments and case not to matter.
func FuzzLayout(f *testing.F) {
	f.Add([]byte{1, 20, 5, 11, 3, 4, 2, 9}, []byte{0, 1, 2, 3, 4, 5, 6, 7})
	f.Fuzz(func(t *testing.T, tokens, layout []byte) {
		if len(tokens) > 200 || len(layout) == 0 {
			return
		}
		var plain, varied strings.Builder
		for i, b := range tokens {
			token := vocabulary[int(b)%len(vocabulary)]
			plain.WriteString(token + " ")
			how := layout[i%len(layout)]
			if how&1 != 0 && !strings.ContainsAny(token, `"'$`) {
				token = strings.ToUpper(token)
			} else if how&2 != 0 && !strings.ContainsAny(token, `"'$`) {
				token = strings.ToLower(token)
			}
			varied.WriteString(token + gaps[int(how>>2)%len(gaps)])
		}
		a, b := transaction.Scan(plain.String(), reported(18)), transaction.Scan(varied.String(), reported(18))
		if a != b {
			t.Errorf("%q: %q, but %q: %q", plain.String(), show(a), varied.String(), show(b))
		}
	})
}

var gaps = []string{" ", "\n", "\t \r\n", "/**/", " -- LISTEN '\n", " /* ; SET a /* \" */ $$ */ ", "\f", " --\r"}
