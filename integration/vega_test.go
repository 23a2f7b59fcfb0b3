package integration

import (
	"bufio"
	"bytes"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestVegaLite has Vega-Lite's own schema, compiler and renderer take charts: those of
// the sample company's questions, and those of answers of every shape, which
// pipeline/answer has made. A warning is a fault.
func TestVegaLite(t *testing.T) {
	var charts []string
	ana := acme(t).Connect(t, "ana")
	for _, question := range toldQuestions {
		charts = append(charts, table(t, ana, "ASK CHART '"+question+"'")[0])
	}
	tellings, err := os.ReadFile("../pipeline/answer/testdata/tellings.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(tellings)) {
		if strings.HasPrefix(line, `{"$schema"`) {
			charts = append(charts, strings.TrimSpace(line))
		}
	}
	schema, drawn := vegaLiteSchema(t), draw(t, charts)
	for i, chart := range charts {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(chart))
		if err == nil {
			err = schema.Validate(doc)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, chart)
		}
		checkDrawn(t, chart, drawn[i])
	}
}

func vegaLiteSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join(nodeModules(t), "vega-lite", "build", "vega-lite-schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// picture is what clients/vega.js says of a chart.
type picture struct {
	Texts []string
	Error string
}

func draw(t *testing.T, charts []string) []picture {
	t.Helper()
	node := exec.Command("node", "clients/vega.js")
	node.Env = append(os.Environ(), "NODE_PATH="+nodeModules(t))
	node.Stdin = strings.NewReader(strings.Join(charts, "\n"))
	node.Stderr = os.Stderr
	out, err := node.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []picture
	for lines := bufio.NewReader(bytes.NewReader(out)); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var p picture
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) != len(charts) {
		t.Fatalf("%d charts are drawn of %d", len(all), len(charts))
	}
	return all
}

// checkDrawn wants a chart's titles, with every qualifier, in its picture.
func checkDrawn(t *testing.T, chart string, p picture) {
	t.Helper()
	if p.Error != "" {
		t.Errorf("%s\n%s", p.Error, chart)
		return
	}
	var c struct {
		Title    struct{ Text, Subtitle []string }
		Usermeta struct{ Qualifiers []string }
	}
	if err := json.Unmarshal([]byte(chart), &c); err != nil {
		t.Fatal(err)
	}
	for _, line := range slices.Concat(c.Title.Text, c.Title.Subtitle) {
		if !slices.ContainsFunc(p.Texts, func(s string) bool { return html.UnescapeString(s) == line }) {
			t.Errorf("%q isn't drawn: %q", line, p.Texts)
		}
	}
	subtitle := strings.Join(c.Title.Subtitle, " ")
	for _, q := range c.Usermeta.Qualifiers {
		if !strings.Contains(subtitle, q) {
			t.Errorf("%q isn't in %q", q, subtitle)
		}
	}
}
