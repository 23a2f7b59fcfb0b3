package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// searchable is the sample company with conversations that are found by their embeddings, linked to
// accounts in two ways, and prices that are looked up by product.
func searchable(t testing.TB) plan.Context {
	t.Helper()
	s := star()
	vector := catalog.Type{OID: 99001, Schema: "ext", Name: "vector", SQL: "ext.vector(3)", Category: 'U'}
	talks := &catalog.Table{Name: public("talks"), Kind: 'r', PrimaryKey: []string{"id"},
		Columns:     columns("id", "int!", "account_id", "int", "guessed_id", "int", "body", "text"),
		ForeignKeys: []*catalog.ForeignKey{key("talks_account", "account_id", "id", "accounts")}}
	talks.Columns = append(talks.Columns, &catalog.Column{Name: "embedding", Type: vector, Attnum: 5})
	prices := &catalog.Table{Name: public("prices"), Kind: 'r', PrimaryKey: []string{"product_id"}, Columns: columns("product_id", "int!", "price", "num"),
		ForeignKeys: []*catalog.ForeignKey{key("prices_product", "product_id", "id", "products")}}
	full := catalog.NewSnapshot("acme", 150000, append(s.Tables, talks, prices), s.Types)
	file := meaning()
	file.Sources = []configs.Source{
		{Name: "talks", Table: cname("talks"), Embedding: "embedding", Text: "body", Distance: "cosine", K: 20, MaxHops: 1,
			Links: []configs.Link{{Column: "account_id", To: configs.ColumnRef{Name: cname("accounts"), Column: "id"}, Method: "domain", Confidence: 0.9},
				{Column: "guessed_id", To: configs.ColumnRef{Name: cname("accounts"), Column: "id"}, Method: "guess", Confidence: 0.5}},
			Access: configs.SourceAccess{BySearch: true, ByKey: []string{"account_id"}}},
		{Name: "prices", Table: cname("prices"), Access: configs.SourceAccess{ByKey: []string{"product_id"}}}}
	m, faults := semantic.Build(file, full)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return plan.Context{Catalog: full, Semantic: m}
}

const atRisk = `"search":{"query":"churn risk","k":5,"within":0.4}`

func TestSearch(t *testing.T) {
	c := searchable(t)
	checked, _ := sqlOf(t, from+`"talks","as":"t",`+atRisk+`},"joins":[{"table":"public.accounts","as":"a","key":"talks.domain"}],`+
		sel(col("a.region"), agg("count", ""))+`}`, c)
	if got := checked.Searches(); !slices.Equal(got, []string{"churn risk"}) {
		t.Errorf("searches %v", got)
	}
	sql, err := stmt.Print(plan.Compile(checked.WithVectors([][]float32{{1, 0.5, -2}})))
	if err != nil {
		t.Fatal(err)
	}
	const want = "SELECT a.region, count(*) AS count FROM (SELECT s.id, s.account_id, s.guessed_id, s.body, s.distance FROM " +
		"(SELECT s.id, s.account_id, s.guessed_id, s.body, s.embedding OPERATOR(ext.<=>) '[1,0.5,-2]'::ext.vector AS distance FROM public.talks s " +
		"ORDER BY s.embedding OPERATOR(ext.<=>) '[1,0.5,-2]'::ext.vector, s.id LIMIT 5) s WHERE s.distance <= '0.4'::double precision) t " +
		"JOIN public.accounts a ON t.account_id = a.id GROUP BY a.region"
	if sql != want {
		t.Errorf("%s\nwant %s", sql, want)
	}
	if a := checked.Annotations(); a.Completeness != "bounded" || a.Confidence != 0.9 || checked.WithConfidence(0.5).Annotations().Confidence != 0.45 {
		t.Errorf("annotations %+v", a)
	}
	qualifiers := []string{`based on the 5 nearest matches of "churn risk" in talks, at most 0.4 away`, "counts are lower bounds, and so are sums where nothing is negative",
		"rows of talks are linked to accounts by domain (confidence 90 %): some may be linked wrongly"}
	if diff := cmp.Diff(qualifiers, checked.Qualifiers()); diff != "" {
		t.Error(diff)
	}
	again, err := plan.Validate(checked.Plan(), c)
	if err != nil || again.Hash() != checked.Hash() {
		t.Errorf("the canonical plan is another: %v", err)
	}
}

// incompleteCase is a plan with the completeness of its answer, or its rejection.
type incompleteCase struct{ name, plan, want string }

// incompleteCases are about the gate for what is made of some rows only, and the ways in which sources are read.
func incompleteCases() []incompleteCase {
	joined := func(kind, rest, measures string) string {
		return from + `"public.accounts","as":"a"},"joins":[{"table":"talks","as":"t","kind":"` + kind + `","key":"talks.domain",` + atRisk + `}` + rest + `],` + measures + `}`
	}
	top := `{"version":1,"from":{"as":"x","plan":{"from":{"table":"orders","as":"o"},` + sel(col("o.account_id"), agg("count", "")) + `,"order_by":[{"item":"count","desc":true}],"limit":3}},`
	return []incompleteCase{
		{"a list of matches", from + `"talks",` + atRisk + `},` + sel(col("body"), col("distance")) + `}`, "bounded"},
		{"accounts with a match", joined("semi", "", sel(agg("count", ""))), "bounded"},
		{"arr of accounts with a match", joined("semi", `,{"table":"monthly_account_arr","to":"a"}`, sel(`{"metric":"arr"}`)), "bounded"},
		{"a mean stock of them", joined("semi", `,{"table":"monthly_account_arr","to":"a"}`, sel(`{"metric":"mean arr"}`)), "PA007 AGGREGATE_OVER_INCOMPLETE"},
		{"orders of accounts with a match", joined("semi", `,{"table":"orders","to":"a"}`, sel(`{"metric":"orders"}`)), "bounded"},
		{"an average over matches", joined("inner", "", sel(agg("avg", col("t.distance")))), "PA007 AGGREGATE_OVER_INCOMPLETE"},
		{"a ratio over matches", joined("semi", `,{"table":"orders","to":"a"},{"table":"order_items","to":"orders"}`, sel(`{"metric":"average order value"}`)), "PA007 AGGREGATE_OVER_INCOMPLETE"},
		{"accounts without a match", joined("anti", "", sel(agg("count", ""))), "PA007 NEGATION_OVER_RESTRICTED"},
		{"a sum over a top three", top + sel(agg("sum", col("x.count"))) + `}`, "bounded"},
		{"a top three", top + sel(col("x.count")) + `}`, "exact"},
		{"embeddings aren't shown", from + `"talks",` + atRisk + `},` + sel(col("embedding")) + `}`, "PA005 COLUMN_NOT_FOUND"},
		{"a search of what has no embeddings", from + `"orders","search":{"query":"x"}},` + sel(col("id")) + `}`, "PA005 NOT_SEARCHABLE"},
		{"a search for nothing", from + `"talks","search":{"query":" "}},` + sel(col("id")) + `}`, "PA005 MISSING"},
		{"a search for too much", from + `"talks","search":{"query":"x","k":1000000}},` + sel(col("id")) + `}`, "PA005 INVALID_LIMIT"},
		{"two links one behind another", joined("semi", `,{"table":"talks","as":"u","to":"a","kind":"semi","key":"talks.guess",`+atRisk+`}`, sel(agg("count", ""))), "PA005 JOIN_NOT_DECLARED"},
		{"all of a source", from + `"talks"},` + sel(agg("count", "")) + `}`, "PA002 ACCESS_PATTERN"},
		{"a source by its key", from + `"talks"},"where":` + eq(col("account_id"), lit("7")) + `,` + sel(agg("count", "")) + `}`, "exact"},
		{"a source by a few keys", from + `"talks"},"where":` + op("in", col("account_id"), lit("7"), lit("8")) + `,` + sel(agg("count", "")) + `}`, "exact"},
		{"a source by another column", from + `"talks"},"where":` + eq(col("id"), lit("7")) + `,` + sel(agg("count", "")) + `}`, "PA002 ACCESS_PATTERN"},
		{"looked up for each row", from + `"products"},"joins":[{"table":"prices"}],` + sel(col("name"), col("price")) + `}`, "exact"},
		{"only by key", from + `"prices"},` + sel(agg("max", col("price"))) + `}`, "PA002 ACCESS_PATTERN"},
	}
}

func TestIncomplete(t *testing.T) {
	c := searchable(t)
	for _, test := range incompleteCases() {
		t.Run(test.name, func(t *testing.T) {
			p, err := plan.Decode([]byte(test.plan))
			if err != nil {
				t.Fatalf("%v\n%s", err, test.plan)
			}
			state, code, refused := strings.Cut(test.want, " ")
			if !refused {
				checked, err := plan.Validate(p, c)
				if err != nil {
					t.Fatalf("%v: %s", err, err.(*plan.Rejections).Detail())
				}
				if got := checked.Annotations().Completeness; got != test.want {
					t.Errorf("%s, want %s", got, test.want)
				}
				if test.want == "bounded" && len(checked.Qualifiers()) == 0 {
					t.Error("no qualifier says so")
				}
				return
			}
			if r := reject(t, p, c); r.SQLState() != state || string(r.All[0].Code) != code {
				t.Errorf("%s %s, want %s", r.SQLState(), r.Detail(), test.want)
			}
		})
	}
}
