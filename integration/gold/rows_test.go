package gold

import "testing"

// rows makes rows of texts; ∅ is null.
func rows(texts ...[]string) [][]*string {
	var out [][]*string
	for _, t := range texts {
		var row []*string
		for _, v := range t {
			if v == "∅" {
				row = append(row, nil)
			} else {
				row = append(row, &v)
			}
		}
		out = append(out, row)
	}
	return out
}

func TestSame(t *testing.T) {
	for name, c := range map[string]struct {
		want, got [][]*string
		ordered   bool
		same      bool
	}{
		"equal":               {rows([]string{"a", "1"}), rows([]string{"a", "1"}), true, true},
		"another order":       {rows([]string{"a"}, []string{"b"}), rows([]string{"b"}, []string{"a"}), false, true},
		"ordered":             {rows([]string{"a"}, []string{"b"}), rows([]string{"b"}, []string{"a"}), true, false},
		"a row twice":         {rows([]string{"a"}, []string{"b"}, []string{"b"}), rows([]string{"b"}, []string{"a"}, []string{"a"}), false, false},
		"more rows":           {rows([]string{"a"}), rows([]string{"a"}, []string{"a"}), false, false},
		"columns turned":      {rows([]string{"a", "b"}), rows([]string{"b", "a"}), false, false},
		"digits":              {rows([]string{"2.50"}), rows([]string{"2.5000000001"}), false, true},
		"another number":      {rows([]string{"2.5"}), rows([]string{"2.501"}), false, false},
		"null is empty":       {rows([]string{"∅"}), rows([]string{""}), false, true},
		"null as dumps write": {rows([]string{`\N`}), rows([]string{"∅"}), false, true},
		"null is not zero":    {rows([]string{"∅"}), rows([]string{"0"}), false, false},
	} {
		q := Question{Rows: c.want, Ordered: c.ordered}
		if got := q.Same(c.got); got != c.same {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSameTurned(t *testing.T) {
	q := Question{Rows: rows([]string{"a", "1"}, []string{"b", "2"}), Ordered: true}
	if !q.SameTurned(rows([]string{"1.0", "a"}, []string{"2", "b"})) {
		t.Error("columns may stand in any order")
	}
	if q.SameTurned(rows([]string{"2", "a"}, []string{"1", "b"})) {
		t.Error("values stay in their rows")
	}
	q = Question{Rows: rows([]string{"a", "b"}, []string{"b", "a"}, []string{"a", "c"}, []string{"c", "a"})}
	if q.SameTurned(rows([]string{"a", "b"}, []string{"a", "b"}, []string{"a", "c"}, []string{"c", "a"})) {
		t.Error("all rows have their columns in one order")
	}
	if !q.SameTurned(rows([]string{"c", "a"}, []string{"b", "a"}, []string{"a", "b"}, []string{"a", "c"})) {
		t.Error("columns with the same values are tried in all places")
	}
	if q.SameTurned(rows([]string{"a", "b", "x"}, []string{"b", "a", "x"}, []string{"a", "c", "x"}, []string{"c", "a", "x"})) {
		t.Error("a column more is wrong")
	}
}

func TestAdmits(t *testing.T) {
	all := rows([]string{"a", "9"}, []string{"b", "9"}, []string{"c", "5"}, []string{"d", "5"}, []string{"e", "1"})
	for name, c := range map[string]struct {
		got      [][]*string
		admitted bool
	}{
		"as they are":                {rows([]string{"a"}, []string{"b"}, []string{"c"}), true},
		"another of the last":        {rows([]string{"a"}, []string{"b"}, []string{"d"}), true},
		"equal keys turned":          {rows([]string{"b"}, []string{"a"}, []string{"d"}, []string{"c"}), true},
		"none":                       {nil, true},
		"a smaller key before":       {rows([]string{"a"}, []string{"c"}), false},
		"a row twice":                {rows([]string{"a"}, []string{"a"}), false},
		"a row that isn't there":     {rows([]string{"x"}), false},
		"the last before the others": {rows([]string{"a"}, []string{"b"}, []string{"c"}, []string{"e"}), false},
	} {
		if got := admits(all, 1, c.got); got != c.admitted {
			t.Errorf("%s: %v", name, got)
		}
	}
}
