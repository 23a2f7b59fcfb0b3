package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// shownTable is a table as a model sees it. Empty fields are left out, and the
// order of the fields is the order on the page.
type shownTable struct {
	Table     string        `json:"table"`
	Preferred bool          `json:"preferred,omitempty"`
	Kind      string        `json:"kind,omitempty"`
	About     string        `json:"about,omitempty"`
	Synonyms  []string      `json:"synonyms,omitempty"`
	Key       []string      `json:"primary_key,omitempty"`
	Read      string        `json:"read_only,omitempty"`
	Search    string        `json:"search,omitempty"`
	Columns   []shownColumn `json:"columns"`

	Dimensions []shownDimension `json:"dimensions,omitempty"`

	Keys []shownKey `json:"keys,omitempty"`
}

// shownKey is a way to join: this table's columns point to one row of To.
type shownKey struct {
	Key       string   `json:"key"`
	Columns   []string `json:"columns"`
	To        string   `json:"to"`
	ToColumns []string `json:"to_columns"`
}

// schemaBytes is how large the schema block may be before it says less: about
// 30,000 tokens, which every model in use takes.
const schemaBytes = 100 << 10

// renderSchema writes the tables as fully as the bound allows. Very wide ones
// lose values and then comments; names and types stay.
func renderSchema(in Input, tables []*catalog.Table) string {
	text := ""
	for d := everything; d <= bareNames; d++ {
		if text = renderTables(in, tables, d); len(text) <= schemaBytes {
			break
		}
	}
	return text
}

// renderTables writes the tables, one compact JSON object a line, preferred
// ones first and each group by name, then the metrics and hierarchies over them. The same
// snapshot, meaning and tables give the same bytes.
func renderTables(in Input, tables []*catalog.Table, d detail) string {
	shown := make(map[catalog.Name]bool, len(tables))
	for _, t := range tables {
		shown[t.Name] = true
	}
	tables = slices.Clone(tables)
	slices.SortFunc(tables, func(a, b *catalog.Table) int {
		if p, q := preferred(in.Semantic, a), preferred(in.Semantic, b); p != q {
			return boolOrder(q) - boolOrder(p)
		}
		return strings.Compare(plan.TableName(a.Name), plan.TableName(b.Name))
	})
	var b strings.Builder
	for _, t := range tables {
		b.WriteString(compact(showTable(in, t, shown, d)) + "\n")
	}
	for _, metric := range shownMetrics(in, shown) {
		b.WriteString(compact(metric) + "\n")
	}
	for _, h := range shownHierarchies(in, shown) {
		b.WriteString(compact(h) + "\n")
	}
	return b.String()
}

// sourceOf is how a table is read, the zero Source where semantic.yaml doesn't say.
func sourceOf(m *semantic.Model, n catalog.Name) semantic.Source {
	if m == nil || m.Source(n) == nil {
		return semantic.Source{Access: semantic.Access{Whole: true}}
	}
	return *m.Source(n)
}

// howToSearch tells a model how to search a source; "" for one that isn't searched.
func howToSearch(s semantic.Source) string {
	if s.Embedding == "" {
		return ""
	}
	return fmt.Sprintf(`{"table": …, "search": {"query": "text", "k": %d}} takes the rows nearest in meaning to the text; they have one more column, distance. Count and sum matches only.`, s.K)
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

func preferred(m *semantic.Model, t *catalog.Table) bool { return meaningOf(m, t.Name).Preferred }

// meaningOf is what semantic.yaml says of a table, the zero Table where nothing.
func meaningOf(m *semantic.Model, n catalog.Name) semantic.Table {
	if m == nil || m.Tables[n] == nil {
		return semantic.Table{}
	}
	return *m.Tables[n]
}

func showTable(in Input, t *catalog.Table, shown map[catalog.Name]bool, d detail) shownTable {
	meaning := meaningOf(in.Semantic, t.Name)
	out := shownTable{
		Table: plan.TableName(t.Name), Preferred: meaning.Preferred, Kind: kindName(t.Kind),
		About: about(meaning.Description, t.Comment), Synonyms: meaning.Synonyms, Columns: []shownColumn{},
	}
	source := sourceOf(in.Semantic, t.Name)
	out.Read, out.Search = source.Ways(), howToSearch(source)
	isKey := map[string]bool{}
	for _, k := range t.ForeignKeys {
		for _, c := range k.Columns {
			isKey[c] = true
		}
	}
	for _, c := range t.PrimaryKey {
		isKey[c] = true
	}
	for _, c := range t.Columns {
		if meaning.Columns[c.Name].LLM != semantic.Hidden && (c.Name != source.Embedding || source.Embedding == "") {
			out.Columns = append(out.Columns, showColumn(c, meaning.Columns[c.Name], isKey[c.Name]).told(d))
		}
	}
	out.Dimensions = shownDimensions(in, t, d)
	if allShown(meaning, t.PrimaryKey) {
		out.Key = identifiers(t.PrimaryKey)
	}
	out.Keys = showKeys(in, t, shown)
	return out
}

func kindName(k catalog.Kind) string {
	switch k {
	case catalog.KindView, catalog.KindMatview:
		return "view"
	}
	return ""
}

// showKeys lists the relationships of a table to tables that are shown too.
func showKeys(in Input, t *catalog.Table, shown map[catalog.Name]bool) []shownKey {
	if in.Semantic == nil {
		return nil
	}
	var out []shownKey
	for _, r := range in.Semantic.Relationships {
		if r.From == t.Name && shown[r.To] && allShown(meaningOf(in.Semantic, t.Name), r.FromColumns) &&
			allShown(meaningOf(in.Semantic, r.To), r.ToColumns) {
			out = append(out, shownKey{r.Name, identifiers(r.FromColumns), plan.TableName(r.To), identifiers(r.ToColumns)})
		}
	}
	slices.SortFunc(out, func(a, b shownKey) int { return strings.Compare(a.Key, b.Key) })
	return out
}

func allShown(t semantic.Table, columns []string) bool {
	for _, c := range columns {
		if t.Columns[c].LLM == semantic.Hidden {
			return false
		}
	}
	return true
}

// identifiers spells names as a plan does.
func identifiers(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = plan.Ident(n)
	}
	return out
}
