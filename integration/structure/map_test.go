package structure

import (
	"encoding/json"
	"errors"
	"go/ast"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/pgask/pgask"
	root   = "../.."
)

// pkg is what go list says of a package.
type pkg struct {
	ImportPath  string
	Dir         string
	Doc         string
	GoFiles     []string
	TestGoFiles []string
	Imports     []string
}

// path is the package's folder below the module.
func (p pkg) path() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/") }

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,GoFiles,TestGoFiles,Imports", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var list []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// mapRow is a row of the code map: folder, what it holds, what it may import.
var mapRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| ([^|]+) \\|$")

// codeMap reads the table in ARCHITECTURE.md: what each package may import of
// ours. "everything" is a single "*".
func codeMap(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(root + "/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	may := map[string][]string{}
	for _, m := range mapRow.FindAllStringSubmatch(string(text), -1) {
		switch allowed := strings.TrimSpace(m[2]); allowed {
		case "nothing of ours":
			may[m[1]] = nil
		case "everything":
			may[m[1]] = []string{"*"}
		default:
			may[m[1]] = strings.Split(strings.ReplaceAll(allowed, " ", ""), ",")
		}
	}
	return may
}

// TestCodeMap wants every package in the map and documented, nothing imported
// that the map doesn't allow, and no row without a package.
func TestCodeMap(t *testing.T) {
	may := codeMap(t)
	seen := map[string]bool{}
	for _, p := range packages(t) {
		seen[p.path()] = true
		allowed, ok := may[p.path()]
		if !ok {
			t.Errorf("%s: not in the code map of ARCHITECTURE.md", p.path())
			continue
		}
		if p.Doc == "" {
			t.Errorf("%s: no package comment", p.path())
		}
		for _, imported := range p.Imports {
			ours, ok := strings.CutPrefix(imported, module+"/")
			if ok && !slices.Contains(allowed, ours) && !slices.Contains(allowed, "*") {
				t.Errorf("%s imports %s; the code map allows %s", p.path(), ours, strings.Join(allowed, ", "))
			}
		}
	}
	for folder := range may {
		if !seen[folder] {
			t.Errorf("the code map has %s, which is no package", folder)
		}
	}
}

var (
	// named is a package and what a document says of its tests.
	named = regexp.MustCompile("`([a-z/]+)` ([^`|\n]*)")
	// testName is a test, fuzzer or benchmark in it.
	testName = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w*`)
)

// TestNamedTests wants the tests that the documents name to be there.
func TestNamedTests(t *testing.T) {
	have := map[string]bool{}
	for _, f := range sources(t, true) {
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				have[f.pkg+" "+fn.Name.Name] = true
			}
		}
	}
	for _, document := range []string{"ARCHITECTURE.md", "proxy/DESIGN.md"} {
		text, err := os.ReadFile(root + "/" + document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			for _, name := range testName.FindAllString(m[2], -1) {
				if !have[m[1]+" "+name] {
					t.Errorf("%s: %s has no %s", document, m[1], name)
				}
			}
		}
	}
}
