package planner

import (
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// TestModelHearsOfSources: a model is told how a source is read and searched, and not of its embeddings.
func TestModelHearsOfSources(t *testing.T) {
	name := catalog.Name{Schema: "public", Table: "talks"}
	talks := &catalog.Table{Name: name, Kind: catalog.KindTable, Columns: []*catalog.Column{
		{Name: "body", Type: catalog.Type{OID: 25, Schema: "pg_catalog", Name: "text", SQL: "text", Category: 'S'}},
		{Name: "near", Type: catalog.Type{OID: 99001, Schema: "public", Name: "vector", SQL: "vector(3)", Category: 'U'}}}}
	in := Input{Catalog: catalog.NewSnapshot("acme", 150000, []*catalog.Table{talks}, nil),
		Semantic: &semantic.Model{Sources: []*semantic.Source{{Name: "talks", Table: name, Embedding: "near", K: 7, Access: semantic.Access{BySearch: true, ByKey: []string{"body"}}}}}}
	got := renderSchema(in, in.Catalog.Tables)
	for _, want := range []string{`"read_only":"by key, with body given or joined to, or by search, for the rows nearest to a text"`, `\"k\": 7}} takes the rows nearest in meaning`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, "near\"") {
		t.Errorf("the embeddings are shown: %s", got)
	}
	in.Semantic = nil
	if got := renderSchema(in, in.Catalog.Tables); strings.Contains(got, "read_only") || !strings.Contains(got, `"near"`) {
		t.Errorf("without sources: %s", got)
	}
}
