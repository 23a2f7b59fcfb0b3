package plan_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/plan"
)

func TestDecodeFaults(t *testing.T) {
	deep := strings.Repeat(`{"op":{"op":"not","args":[`, 200) + `{"column":"a"}` + strings.Repeat(`]}}`, 200)
	tests := []struct {
		name, plan string
		faults     []string
	}{
		{"nothing", ``, []string{"INVALID_JSON "}},
		{"a list", `[]`, []string{"WRONG_SHAPE "}},
		{"null", `null`, []string{"WRONG_SHAPE "}},
		{"half", `{"version":1,`, []string{"INVALID_JSON "}},
		{"two plans", from + `"a"},"select":[]} {}`, []string{"INVALID_JSON "}},
		{"a comment", `{/* */}`, []string{"INVALID_JSON "}},
		{"not UTF-8", "{\"reasoning\":\"\xff\"}", []string{"INVALID_JSON "}},
		{"unknown keys", `{"version":1,"from":{"tabel":"a","table":"a"},"select":[],"sql":"DROP TABLE a"}`,
			[]string{"UNKNOWN_KEY /from/tabel", "UNKNOWN_KEY /sql"}},
		{"keys in other case", `{"Version":1,"version":1,"from":{"table":"a"},"select":[]}`, []string{"UNKNOWN_KEY /Version"}},
		{"a key twice", `{"version":1,"version":1,"from":{"table":"a"},"select":[]}`, []string{"DUPLICATE_KEY /version"}},
		{"missing keys", `{}`, []string{"MISSING ", "MISSING ", "MISSING "}},
		{"null keys", `{"version":null,"from":null,"select":null}`, []string{"MISSING ", "MISSING ", "MISSING "}},
		{"no source", from + `""},"joins":[{"as":"x"}],"select":[]}`, []string{"MISSING /from", "MISSING /joins/0"}},
		{"null elements", from + `"a"},"joins":[null],"select":[null]}`, []string{"WRONG_SHAPE /joins/0", "WRONG_SHAPE /select/0"}},
		{"nested plans", `{"version":1,"set":{"op":"union","plans":[{"from":{"plan":{}}}]}}`,
			[]string{"MISSING /set/plans/0/from/plan", "MISSING /set/plans/0/from/plan", "MISSING /set/plans/0"}},
		{"a fraction", from + `"a"},"select":[{"expr":{"aggregate":{"func":"percentile_cont","fraction":"half"}}}]}`,
			[]string{"WRONG_SHAPE /select/0/expr/aggregate/fraction"}},
		{"missing value", from + `"a"},"select":[{"expr":{"literal":{}}}]}`, []string{"MISSING /select/0/expr/literal"}},
		{"other kinds", `{"version":"1","from":"a","select":{},"limit":1.5,"distinct":0}`,
			[]string{"WRONG_SHAPE /version", "WRONG_SHAPE /from", "WRONG_SHAPE /select", "WRONG_SHAPE /limit", "WRONG_SHAPE /distinct"}},
		{"a literal list", from + `"a"},"select":[{"expr":{"literal":{"value":[1]}}}]}`, []string{"WRONG_SHAPE /select/0/expr/literal/value"}},
		{"a number too large", from + `"a"},"select":[],"limit":99999999999999999999}`, []string{"WRONG_SHAPE /limit"}},
		{"too deep", from + `"a"},"select":[],"where":` + deep + `}`, []string{"TOO_LARGE"}},
		{"too deep where unknown", `{"x":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`, []string{"TOO_LARGE "}},
		{"too long", `{"reasoning":"` + strings.Repeat("x", 300000) + `"}`, []string{"TOO_LARGE "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := plan.Decode([]byte(test.plan))
			var r *plan.Rejections
			if !errors.As(err, &r) {
				t.Fatalf("%v", err)
			}
			var got []string
			for _, x := range r.All {
				got = append(got, string(x.Code)+" "+x.Path)
			}
			if test.name == "too deep" && len(got) == 1 {
				got[0], _, _ = strings.Cut(got[0], " ")
			}
			if diff := cmp.Diff(test.faults, got); diff != "" {
				t.Error(diff)
			}
			if r.SQLState() != "PA005" {
				t.Error(r.SQLState())
			}
			checkDetail(t, r)
		})
	}
}

func TestDecodeNamesNearestKey(t *testing.T) {
	_, err := plan.Decode([]byte(`{"version":1,"from":{"table":"a"},"select":[],"group_bye":[]}`))
	var r *plan.Rejections
	if !errors.As(err, &r) || r.All[0].Nearest[0] != "group_by" {
		t.Fatalf("%v", err)
	}
}

// What decodes, encodes to what decodes to the same; validation of it never panics.
func FuzzDecode(f *testing.F) {
	for _, x := range examples(f) {
		f.Add([]byte(x.plan))
	}
	for _, x := range rejections {
		f.Add([]byte(x.plan))
	}
	c := testContext(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := plan.Decode(data)
		if err != nil {
			var r *plan.Rejections
			if !errors.As(err, &r) || r.Detail() == "" {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := plan.Decode(b)
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, data, b)
		}
		if diff := cmp.Diff(p, again); diff != "" {
			t.Fatal(diff)
		}
		if checked, err := plan.Validate(p, c); err == nil {
			checkPrints(t, checked)
		}
	})
}
