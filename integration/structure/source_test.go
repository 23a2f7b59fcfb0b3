package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pgQuery is the binding of Postgres's own parser.
const pgQuery = "github.com/pganalyze/pg_query_go/v5"

// file is a parsed source file.
type file struct {
	pkg, name string
	syntax    *ast.File
	fset      *token.FileSet
}

// imports gives the local name of an imported package, or nothing.
func (f file) imports(path string) string {
	for _, spec := range f.syntax.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != path {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		base := strings.TrimSuffix(filepath.Base(path), "_go")
		if strings.HasPrefix(base, "v") {
			base = strings.TrimSuffix(filepath.Base(filepath.Dir(path)), "_go")
		}
		return base
	}
	return ""
}

// calls lists the selectors name.X of the file with their places.
func (f file) selectors(name string) map[string]token.Position {
	found := map[string]token.Position{}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name {
				found[s.Sel.Name] = f.fset.Position(s.Pos())
			}
		}
		return true
	})
	return found
}

// sources parses the files of all packages.
func sources(t *testing.T, tests bool) []file {
	t.Helper()
	var files []file
	fset := token.NewFileSet()
	for _, p := range packages(t) {
		names, err := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") != tests {
				continue
			}
			syntax, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file{p.path(), name, syntax, fset})
		}
	}
	return files
}

// TestParser wants the parser's functions called in pipeline/stmt only, which
// bounds what goes in, and its node types known only where trees are made or
// judged.
func TestParser(t *testing.T) {
	mayKnow := []string{"pipeline/stmt", "pipeline/semantic", "pipeline/semantic/cube", "pipeline/semantic/foreign", "pipeline/semantic/metricflow", "pipeline/semantic/snowflake", "pipeline/plan", "pipeline/planner", "policy", "pipeline", "integration/gold"}
	functions := []string{"Parse", "ParseToJSON", "ParsePlPgSqlToJSON", "Scan", "ScanToProtobuf", "Deparse", "DeparseFromProtobuf",
		"Normalize", "NormalizeUtility", "Fingerprint", "FingerprintToUInt64", "HashXXH3_64", "SplitWithScanner", "SplitWithParser"}
	for _, f := range sources(t, false) {
		name := f.imports(pgQuery)
		if name == "" {
			continue
		}
		if !slices.Contains(mayKnow, f.pkg) {
			t.Errorf("%s imports the SQL parser", f.name)
		}
		for selector, at := range f.selectors(name) {
			if f.pkg != "pipeline/stmt" && slices.Contains(functions, selector) {
				t.Errorf("%s: %s.%s is for pipeline/stmt only", at, name, selector)
			}
		}
	}
}

// TestPure wants the core free of I/O, logs and clocks: the same input gives
// the same verdict.
func TestPure(t *testing.T) {
	for _, f := range sources(t, false) {
		if !slices.Contains([]string{"policy", "pipeline/stmt", "pipeline/plan", "proxy/transaction"}, f.pkg) {
			continue
		}
		for _, banned := range []string{"os", "io/fs", "net", "net/http", "log", "log/slog", "math/rand", "math/rand/v2", "os/exec", "database/sql"} {
			if f.imports(banned) != "" {
				t.Errorf("%s imports %s", f.name, banned)
			}
		}
		if name := f.imports("time"); name != "" {
			for _, clock := range []string{"Now", "Since", "Until", "After", "Tick", "Sleep", "NewTimer"} {
				if at, ok := f.selectors(name)[clock]; ok {
					t.Errorf("%s: time.%s reads a clock", at, clock)
				}
			}
		}
	}
}

// TestWire keeps pgproto3 behind proxy/wire, and its two decoders with a known
// denial of service unused.
func TestWire(t *testing.T) {
	for _, f := range sources(t, false) {
		name := f.imports("github.com/jackc/pgproto3/v2")
		if name == "" {
			continue
		}
		if f.pkg != "proxy/wire" {
			t.Errorf("%s imports pgproto3; it stays behind proxy/wire", f.name)
		}
		for _, banned := range []string{"DataRow", "NewFrontend", "Frontend"} {
			if at, ok := f.selectors(name)[banned]; ok {
				t.Errorf("%s: pgproto3.%s has an unfixed denial of service", at, banned)
			}
		}
	}
}

// TestOwnServers keeps pgx's pgproto3 out of the session's way: it is for
// pgconn's logins and for the admin database, which bounds what it receives.
func TestOwnServers(t *testing.T) {
	for _, f := range sources(t, false) {
		name := f.imports("github.com/jackc/pgx/v5/pgproto3")
		if name == "" {
			continue
		}
		if f.pkg != "proxy/pool" && f.pkg != "proxy/admin" {
			t.Errorf("%s imports pgproto3", f.name)
		}
		if _, used := f.selectors(name)["NewBackend"]; used {
			text, err := os.ReadFile(f.name)
			if err != nil || !strings.Contains(string(text), "SetMaxBodyLen") {
				t.Errorf("%s receives frames of any length (%v)", f.name, err)
			}
		}
	}
}

// TestNothingSkipped wants tests that run and don't wait by the clock.
func TestNothingSkipped(t *testing.T) {
	for _, f := range sources(t, true) {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name) {
				t.Errorf("%s: %s", f.fset.Position(s.Pos()), s.Sel.Name)
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && s.Sel.Name == "Sleep" && !synctested(f) {
				t.Errorf("%s: time.Sleep", f.fset.Position(s.Pos()))
			}
			return true
		})
	}
}

// synctested tells whether the file's sleeps are in fake time.
func synctested(f file) bool { return f.imports("testing/synctest") != "" }
