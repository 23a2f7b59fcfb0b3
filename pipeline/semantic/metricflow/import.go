package metricflow

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/stmt"
	"gopkg.in/yaml.v3"
)

// Source is a file with its text.
type Source struct {
	Name string
	Text []byte
}

// Note says what couldn't be taken over, where it stands, and why.
type Note struct {
	File      string
	Line      int
	What, Why string
}

// String is the note as compilers print them.
func (n Note) String() string { return fmt.Sprintf("%s:%d: %s: %s", n.File, n.Line, n.What, n.Why) }

// importer collects what is taken over, and notes of the rest.
type importer struct {
	schema  string
	models  []*model
	metrics []*metric
	out     semantic
	notes   []Note
}

// Import makes a semantic.yaml of dbt files. Tables without a schema of their own are in schema. The error is that of a
// text that can't be read at all.
func Import(sources []Source, schema string) (text []byte, notes []Note, err error) {
	im := &importer{schema: schema}
	for _, s := range sources {
		f, err := read(s.Name, s.Text)
		if err != nil {
			return nil, nil, err
		}
		for i := range f.Models {
			im.models = append(im.models, &f.Models[i])
		}
		for i := range f.Metrics {
			im.metrics = append(im.metrics, &f.Metrics[i])
		}
	}
	for _, m := range im.models {
		im.table(m)
	}
	for _, m := range im.models {
		im.relations(m)
		for i := range m.Measures {
			if x := &m.Measures[i]; x.Create {
				im.simple(&metric{at: x.at, Name: x.Name, Label: x.Label, Description: x.Description, Type: "simple"}, input{Name: x.Name})
			}
		}
	}
	for _, kind := range []string{"simple", "ratio", "derived"} { // what others are made of comes first
		for _, m := range im.metrics {
			if m.Type == kind {
				im.metric(m)
			}
		}
	}
	for _, m := range im.metrics {
		if !slices.Contains([]string{"simple", "ratio", "derived"}, m.Type) {
			im.note(m.at, "metric "+m.Name, "a metric of type %q has no counterpart: a plan says windows and conversions", m.Type)
		}
	}
	text, err = yaml.Marshal(im.out)
	return text, im.notes, err
}

func (im *importer) note(at place, what, format string, args ...any) {
	im.notes = append(im.notes, Note{File: at.file, Line: at.line, What: what, Why: fmt.Sprintf(format, args...)})
}

// table takes over a semantic model's table and columns.
func (im *importer) table(m *model) {
	name := regexp.MustCompile(`^\s*(?:ref\(\s*'([^']+)'\s*\)|source\(\s*'([^']+)'\s*,\s*'([^']+)'\s*\))\s*$`).FindStringSubmatch(strings.ReplaceAll(m.Model, `"`, "'"))
	switch {
	case name == nil:
		im.note(m.at, "semantic model "+m.Name, "its model %q is neither ref('table') nor source('schema', 'table'); it is taken for a table of the model's name", m.Model)
		m.table = im.schema + "." + m.Name
	case name[1] != "":
		m.table = im.schema + "." + name[1]
	default:
		m.table = name[2] + "." + name[3]
	}
	t := outTable{Table: m.table, Description: m.Description, Columns: map[string]outColumn{}}
	for _, d := range m.Dimensions {
		c, plain := column(d.Name, d.Expr)
		if !plain {
			im.note(d.at, "dimension "+d.Name, "it is computed (%s); only columns are grouped by: make it one of a view", d.Expr)
			continue
		}
		out := outColumn{Description: d.Description}
		for _, word := range []string{spoken(d.Name), strings.ToLower(d.Label)} {
			if word != "" && word != spoken(c) && !slices.Contains(out.Synonyms, word) {
				out.Synonyms = append(out.Synonyms, word)
			}
		}
		if out.Description != "" || len(out.Synonyms) > 0 {
			t.Columns[c] = out
		}
	}
	if t.Description != "" || len(t.Columns) > 0 {
		im.out.Tables = append(im.out.Tables, t)
	}
}

func spoken(name string) string { return strings.ReplaceAll(name, "_", " ") }

// relations takes over entities: primary ones are things, foreign ones point to them.
func (im *importer) relations(m *model) {
	for _, e := range m.Entities {
		c, plain := column(e.Name, e.Expr)
		if !plain {
			im.note(e.at, "entity "+e.Name, "its key is computed (%s)", e.Expr)
			continue
		}
		switch e.Type {
		case "primary", "unique":
			if e.Type == "primary" {
				im.out.Entities = append(im.out.Entities, outEntity{Name: spoken(strings.TrimSuffix(e.Name, "_id")), Table: m.table, Key: []string{c}})
			}
		case "foreign":
			im.points(m, e, c)
		default:
			im.note(e.at, "entity "+e.Name, "the type %s has no counterpart", e.Type)
		}
	}
}

func (im *importer) points(m *model, e entity, from string) {
	for _, other := range im.models {
		for _, x := range other.Entities {
			if to, plain := column(x.Name, x.Expr); other != m && x.Name == e.Name && plain && (x.Type == "primary" || x.Type == "unique") {
				im.out.Relationships = append(im.out.Relationships, outRelationship{From: m.table + "." + from, To: other.table + "." + to, Cardinality: "many_to_one"})
				return
			}
		}
	}
	im.note(e.at, "entity "+e.Name, "no semantic model has it as its primary one")
}

func (im *importer) metric(m *metric) {
	switch m.Type {
	case "simple":
		im.simple(m, m.Params.Measure)
	case "ratio":
		im.calculated(m, "numerator / denominator", []input{aliased(m.Params.Numerator, "numerator"), aliased(m.Params.Denominator, "denominator")})
	default:
		im.calculated(m, m.Params.Expr, m.Params.Metrics)
	}
}

func aliased(i input, alias string) input {
	i.Alias = alias
	return i
}

// words are a metric's name, other words and owner.
func (m *metric) words() outMetric {
	out := outMetric{Name: m.Name, Description: m.Description, Owner: cmp.Or(m.Config.Meta.Owner, m.Meta.Owner)}
	for _, word := range []string{spoken(m.Name), strings.ToLower(m.Label)} {
		if word != "" && word != m.Name && !slices.Contains(out.Synonyms, word) {
			out.Synonyms = append(out.Synonyms, word)
		}
	}
	return out
}

// simple takes over a metric that is one measure.
func (im *importer) simple(m *metric, of input) {
	model, x := im.measure(of.Name)
	if x == nil {
		im.note(m.at, "metric "+m.Name, "there is no measure %s", of.Name)
		return
	}
	out := m.words()
	out.Table = model.table
	expr, err := x.aggregate()
	if err == nil {
		_, _, err = stmt.ParseExpr(expr)
	}
	if err != nil {
		im.note(m.at, "metric "+m.Name, "its measure %s: %v", x.Name, err)
		return
	}
	out.Expr = expr
	out.Additivity, err = im.additivity(model, x)
	if err != nil {
		im.note(x.at, "metric "+m.Name, "%v", err)
		return
	}
	if out.Filter, err = im.filters(model, slices.Concat(m.Filter, of.Filter)); err != nil {
		im.note(m.at, "metric "+m.Name, "%v", err)
		return
	}
	im.out.Metrics = append(im.out.Metrics, out)
}

func (im *importer) measure(name string) (*model, *measure) {
	for _, m := range im.models {
		for i := range m.Measures {
			if m.Measures[i].Name == name {
				return m, &m.Measures[i]
			}
		}
	}
	return nil, nil
}

// calculated takes over arithmetic over metrics, where all are of one table.
func (im *importer) calculated(m *metric, expr string, of []input) {
	out := m.words()
	table, names := "", map[string]string{}
	for _, i := range of {
		n := slices.IndexFunc(im.out.Metrics, func(x outMetric) bool { return x.Name == i.Name })
		switch {
		case n < 0:
			im.note(m.at, "metric "+m.Name, "it is made of %s, which isn't there or wasn't taken over", i.Name)
			return
		case im.out.Metrics[n].Derived != "":
			im.note(m.at, "metric "+m.Name, "it is made of %s, which is made of others itself", i.Name)
			return
		case len(i.Filter) > 0 || len(m.Filter) > 0:
			im.note(m.at, "metric "+m.Name, "it filters what it is made of: give the filtered ones names of their own")
			return
		case i.Offset != "" || i.OffsetGrain != "":
			im.note(m.at, "metric "+m.Name, "it compares with another time; a plan's period says that")
			return
		case table != "" && table != im.out.Metrics[n].Table:
			im.note(m.at, "metric "+m.Name, "it is made of metrics of %s and %s: ask for both instead", table, im.out.Metrics[n].Table)
			return
		}
		table = im.out.Metrics[n].Table
		names[cmp.Or(i.Alias, i.Name)] = `"` + i.Name + `"`
	}
	expr = regexp.MustCompile(`\b[A-Za-z_]\w*\b`).ReplaceAllStringFunc(expr, func(word string) string { return cmp.Or(names[word], word) })
	if _, _, err := stmt.ParseExpr(expr); err != nil {
		im.note(m.at, "metric "+m.Name, "its expr isn't arithmetic: %v", err)
		return
	}
	out.Derived = expr
	im.out.Metrics = append(im.out.Metrics, out)
}
