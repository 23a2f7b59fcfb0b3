package configs

import (
	"os"
	"path/filepath"
	"testing"
)

// fuzz runs a decoder on anything: it must neither panic nor hang, and what it
// accepts without a fault it must accept again.
func fuzz(f *testing.F, kind string) {
	for _, glob := range []string{"testdata/faults/*.yaml", "*.yaml", "demo/*.yaml"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		first := lines(decoders[kind](kind+".yaml", data))
		if second := lines(decoders[kind](kind+".yaml", data)); first != second {
			t.Errorf("two runs differ:\n%s---\n%s", first, second)
		}
	})
}

func FuzzConfig(f *testing.F)   { fuzz(f, "config") }
func FuzzUsers(f *testing.F)    { fuzz(f, "users") }
func FuzzPolicy(f *testing.F)   { fuzz(f, "policy") }
func FuzzSemantic(f *testing.F) { fuzz(f, "semantic") }
func FuzzCurated(f *testing.F)  { fuzz(f, "curated") }
func FuzzCases(f *testing.F)    { fuzz(f, "cases") }

// FuzzName holds names to their spelling: what is read and spelled reads the
// same.
func FuzzName(f *testing.F) {
	for _, s := range []string{"public.orders", `a."b""c"`, "*.*", `"*".x`, "A.B", "a.b.c", `"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseName(s); err == nil {
			again, err := ParseName(n.String())
			if err != nil || again != n {
				t.Errorf("%q is %+v, spelled %s, read back as %+v, %v", s, n, n, again, err)
			}
		}
		if p, err := ParsePattern(s); err == nil && !p.SchemaWild && !p.TableWild && !p.Match(p.Schema, p.Table) {
			t.Errorf("%q does not match itself", s)
		}
	})
}
