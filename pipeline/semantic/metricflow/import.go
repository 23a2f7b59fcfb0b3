package metricflow

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/stmt"
)

// importer collects what is taken over, and notes of the rest.
type importer struct {
	*foreign.Model
	models  []*model
	metrics []*metric
	names   foreign.Names
	// measures are by name.
	measures map[string]measured
}

// measured is a measure with its model.
type measured struct {
	model   *model
	measure *measure
}

// Format is that of dbt files. They hold much else, for dbt itself.
func Format() foreign.Format {
	reasons := map[string]string{}
	for _, key := range strings.Fields("version sources seeds snapshots macros exposures groups analyses unit_tests data_tests tests type_params meta config tags group docs access versions latest_version constraints data_type quote granularity") {
		reasons[key] = ""
	}
	return foreign.Format{Name: "dbt", Keys: []string{"semantic_models", "metrics", "models"}, Reasons: reasons, Import: add}
}

func add(documents []*foreign.Document, to *foreign.Model) error {
	im := &importer{Model: to, names: foreign.Names{}, measures: map[string]measured{}}
	for _, d := range documents {
		var f file
		if err := d.Decode(&f); err != nil {
			return err
		}
		for i := range f.Models {
			im.models = append(im.models, &f.Models[i])
		}
		im.latest(&f)
		for i := range f.Metrics {
			f.Metrics[i].latest()
			im.metrics = append(im.metrics, &f.Metrics[i])
		}
	}
	im.count()
	for _, m := range im.models {
		im.table(m)
	}
	for _, m := range im.models {
		im.relations(m)
		for i := range m.Measures {
			if x := &m.Measures[i]; x.Create {
				im.simple(&metric{At: x.At, Name: x.Name, Label: x.Label, Description: x.Description, Type: "simple"}, input{Name: x.Name})
			}
		}
	}
	for _, m := range im.metrics {
		im.metric(m)
	}
	return nil
}

// count finds the measures, and counts the names of metrics and of dimensions that aren't columns.
func (im *importer) count() {
	for _, x := range im.metrics {
		im.names.Add(x.Name)
	}
	for _, m := range im.models {
		for _, d := range m.Dimensions {
			if _, plain := column(d.Name, d.Expr); !plain {
				im.names.Add(d.Name)
			}
		}
		for i := range m.Measures {
			if x := &m.Measures[i]; im.measures[x.Name].measure == nil {
				im.measures[x.Name] = measured{m, x}
			}
		}
	}
}

// table takes over a semantic model's table and columns.
func (im *importer) table(m *model) {
	name := regexp.MustCompile(`^\s*(?:ref\(\s*'([^']+)'\s*\)|source\(\s*'([^']+)'\s*,\s*'([^']+)'\s*\))\s*$`).FindStringSubmatch(strings.ReplaceAll(m.Model, `"`, "'"))
	switch {
	case name == nil:
		im.Note(m.At, "semantic model "+m.Name, "its model %q is neither ref('table') nor source('schema', 'table'); it is taken for a table of the model's name", m.Model)
		m.table = foreign.TableName(im.Schema, m.Name)
	case name[1] != "":
		m.table = foreign.TableName(im.Schema, name[1])
	default:
		m.table = foreign.TableName(name[2], name[3])
	}
	t := foreign.Table{Table: m.table, Description: m.Description, Columns: map[string]foreign.Column{}}
	for _, d := range m.Dimensions {
		c, plain := column(d.Name, d.Expr)
		if !plain {
			im.computed(m, d)
			continue
		}
		out := foreign.Column{Description: d.Description, Synonyms: foreign.Words(foreign.Spoken(c), foreign.Spoken(d.Name), strings.ToLower(d.Label))}
		if out.Description != "" || len(out.Synonyms) > 0 {
			t.Columns[c] = out
		}
	}
	im.Table(t)
}

// computed takes over a dimension that isn't a column.
func (im *importer) computed(m *model, d dimension) {
	name := im.names.Of(m.Name, d.Name)
	n, err := foreign.Parse(d.Expr)
	if err == nil {
		err = foreign.Check(n, false)
	}
	if err != nil {
		im.Note(d.At, "dimension "+d.Name, "%v", err)
		return
	}
	im.Dimension(d.At, foreign.Dimension{Name: name, Description: d.Description, Table: m.table, Expr: strings.TrimSpace(d.Expr),
		Synonyms: foreign.Words(name, foreign.Spoken(name), strings.ToLower(d.Label))}, n)
}

// relations takes over entities: primary ones are things, foreign ones point to them.
func (im *importer) relations(m *model) {
	for _, e := range m.Entities {
		c, plain := column(e.Name, e.Expr)
		if !plain {
			im.Note(e.At, "entity "+e.Name, "its key is computed (%s)", e.Expr)
			continue
		}
		switch e.Type {
		case "primary", "unique":
			if e.Type == "primary" {
				im.Entity(e.At, foreign.Entity{Name: foreign.Spoken(strings.TrimSuffix(e.Name, "_id")), Table: m.table, Key: []string{c}})
			}
		case "foreign":
			im.points(m, e, c)
		default:
			im.Note(e.At, "entity "+e.Name, "the type %s has no counterpart", e.Type)
		}
	}
}

func (im *importer) points(m *model, e entity, from string) {
	for _, other := range im.models {
		for _, x := range other.Entities {
			if to, plain := column(x.Name, x.Expr); other != m && x.Name == e.Name && plain && (x.Type == "primary" || x.Type == "unique") {
				im.Relationship(foreign.Relationship{From: m.table + "." + from, To: other.table + "." + to, Cardinality: "many_to_one"})
				return
			}
		}
	}
	im.Note(e.At, "entity "+e.Name, "no semantic model has it as its primary one")
}

func (im *importer) metric(m *metric) {
	switch m.Type {
	case "simple":
		im.simple(m, m.Params.Measure)
	case "ratio":
		im.calculated(m, "numerator / denominator", []input{aliased(m.Params.Numerator, "numerator"), aliased(m.Params.Denominator, "denominator")})
	case "derived":
		im.calculated(m, m.Params.Expr, m.Params.Metrics)
	default:
		im.Note(m.At, "metric "+m.Name, "a metric of type %q has no counterpart: a plan says windows and conversions", m.Type)
	}
}

func aliased(i input, alias string) input {
	i.Alias = alias
	return i
}

// words are a metric's name, other words and owner.
func (m *metric) words() foreign.Metric {
	return foreign.Metric{Name: m.Name, Description: m.Description, Owner: cmp.Or(m.Config.Meta.Owner, m.Meta.Owner),
		Synonyms: foreign.Words(m.Name, foreign.Spoken(m.Name), strings.ToLower(m.Label))}
}

// simple takes over a metric that is one measure.
func (im *importer) simple(m *metric, of input) {
	model, x := im.measure(of.Name)
	switch {
	case of.Name == "":
		im.Note(m.At, "metric "+m.Name, "nothing says of which model it is")
		return
	case x == nil:
		im.Note(m.At, "metric "+m.Name, "there is no measure %s", of.Name)
		return
	}
	out := m.words()
	out.Table = model.table
	var err error
	if out.Expr, err = x.aggregate(); err != nil {
		im.Note(m.At, "metric "+m.Name, "its measure %s: %v", x.Name, err)
		return
	}
	if out.Additivity, err = im.additivity(model, x); err != nil {
		im.Note(x.At, "metric "+m.Name, "%v", err)
		return
	}
	if out.Filter, err = im.filters(model, slices.Concat(m.Filter, of.Filter)); err != nil {
		im.Note(m.At, "metric "+m.Name, "%v", err)
		return
	}
	if out.Additivity.Kind != "semi" { // a stock's time is the one that picks it
		out.Time = im.time(m, model, x)
	}
	im.Metric(m.At, out)
}

// time is the date by which a measure falls into periods; "" where the model says none, or one that isn't a column.
func (im *importer) time(m *metric, of *model, x *measure) string {
	name := cmp.Or(x.Time, of.Defaults.Time)
	for _, d := range of.Dimensions {
		if d.Name != name {
			continue
		}
		c, plain := column(d.Name, d.Expr)
		if !plain {
			im.Note(m.At, "metric "+m.Name, "the date by which it falls into periods is computed (%s)", d.Expr)
			return ""
		}
		return of.table + "." + c
	}
	return ""
}

// measure finds a measure and its model, the first of the name.
func (im *importer) measure(name string) (*model, *measure) {
	at := im.measures[name]
	return at.model, at.measure
}

// calculated takes over arithmetic over metrics.
func (im *importer) calculated(m *metric, expr string, of []input) {
	names := map[string]string{}
	for _, i := range of {
		switch {
		case len(i.Filter) > 0 || len(m.Filter) > 0:
			im.Note(m.At, "metric "+m.Name, "it filters what it is made of: give the filtered ones names of their own")
			return
		case i.Offset != "" || i.OffsetGrain != "":
			im.Note(m.At, "metric "+m.Name, "it compares with another time; a plan's period says that")
			return
		}
		names[cmp.Or(i.Alias, i.Name)] = i.Name
	}
	n, err := foreign.Parse(expr)
	if err != nil {
		im.Note(m.At, "metric "+m.Name, "its expr isn't arithmetic: %v", err)
		return
	}
	named, err := stmt.Rewrite(n, func(x *pg_query.Node) (*pg_query.Node, error) {
		if word, plain := foreign.Plain(x); plain {
			return stmt.Column(cmp.Or(names[word], word)), nil
		}
		return x, nil
	})
	if err != nil {
		im.Note(m.At, "metric "+m.Name, "its expr isn't arithmetic: %v", err)
		return
	}
	im.Calculated(m.At, m.words(), named)
}
