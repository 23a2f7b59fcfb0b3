package configs

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

// decoders maps the first word of a file in testdata to what reads it.
var decoders = map[string]func(string, []byte) []Fault{
	"config":   func(f string, b []byte) []Fault { _, faults := decodeAlone(f, b); return faults },
	"users":    func(f string, b []byte) []Fault { _, faults := DecodeUsers(f, b); return faults },
	"policy":   func(f string, b []byte) []Fault { _, faults := DecodePolicy(f, b); return faults },
	"semantic": func(f string, b []byte) []Fault { _, faults := DecodeSemantic(f, b); return faults },
	"cases":    func(f string, b []byte) []Fault { _, faults := DecodePolicyCases(f, b); return faults },
	"curated":  func(f string, b []byte) []Fault { _, faults := DecodeCurated(f, b); return faults },
}

func kindOf(file string) string {
	word, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".yaml"), "_")
	return word
}

func TestFaults(t *testing.T) {
	files, err := filepath.Glob("testdata/faults/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := lines(decoders[kindOf(file)](filepath.Base(file), data))
			golden := strings.TrimSuffix(file, ".yaml") + ".want"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			for _, secret := range []string{"sec/ret", "hunter2"} {
				if strings.Contains(got, secret) {
					t.Errorf("a fault quotes the secret %q", secret)
				}
			}
		})
	}
}

func TestEmptyFiles(t *testing.T) {
	for kind, decode := range decoders {
		for _, text := range []string{"", "{}", "\n# nothing\n", "---\n", "null", "\ufeff", "--- {}\n...\n"} {
			if faults := decode(kind+".yaml", []byte(text)); len(faults) > 0 {
				t.Errorf("%s %q:\n%s", kind, text, lines(faults))
			}
		}
	}
}
