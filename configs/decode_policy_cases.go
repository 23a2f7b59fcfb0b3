package configs

import (
	"maps"
	"math"
	"regexp"

	"gopkg.in/yaml.v3"
)

// sqlState is what an error code looks like.
var sqlState = regexp.MustCompile(`^[0-9A-Z]{5}$`)

// DecodePolicyCases reads a file of `pgask policy test`. file is for positions
// and for the paths of golden files.
func DecodePolicyCases(file string, data []byte) (*PolicyCases, []Fault) {
	v := open(file, data)
	c := &PolicyCases{}
	v.object(casesFields(c))
	return c, sorted(v.d.faults)
}

func casesFields(c *PolicyCases) fields {
	return fields{"cases": records(&c.Cases, "name", policyCase)}
}

// policyCase reads one entry of cases: a statement with what is expected of it,
// or steps that each have both.
func policyCase(c *PolicyCase) setter {
	return func(v value) {
		c.Pos = v.pos()
		var role string
		var steps bool
		one := newPolicyStep(v.pos())
		before := v.d.wrong
		keys := fields{
			"name":       text(&c.Name),
			"user":       text(&c.User),
			"role":       text(&role),
			"roles":      texts(&c.Roles),
			"attributes": attributes(&c.Attributes),
			"database":   text(&c.Database),
			"offline":    boolean(&c.Offline),
			"steps":      given(&steps, records(&c.Steps, "", policyStep)),
		}
		maps.Copy(keys, stepFields(&one))
		v.object(keys)
		if v.d.wrong > before || v.node.Kind != yaml.MappingNode {
			return
		}
		v.who(c, role)
		switch {
		case steps && one.expectsMore():
			v.fault("with steps, each of them says what is expected of it")
		case steps && len(c.Steps) == 0:
			v.fault("steps is empty")
		case !steps && one.Statement == "":
			v.fault("statement is missing, or steps")
		case !steps:
			c.Steps = []PolicyStep{one}
		}
	}
}

// who checks that it is somebody's case.
func (v value) who(c *PolicyCase, role string) {
	switch {
	case role != "" && c.Roles != nil:
		v.fault("give either role or roles")
	case role != "":
		c.Roles = []string{role}
	case c.User == "" && len(c.Roles) == 0:
		v.fault("user is missing, or role")
	}
}

func newPolicyStep(pos Pos) PolicyStep { return PolicyStep{Pos: pos, Expect: Allowed} }

// expectsMore tells of anything but the defaults.
func (s *PolicyStep) expectsMore() bool {
	return s.Statement != "" || s.Expect != Allowed || s.Message != "" || s.Tables != nil || s.Scopes != nil || s.Masked != nil ||
		s.Columns != nil || s.RowCap != nil || s.SQL != nil || s.Golden != ""
}

func policyStep(s *PolicyStep) setter {
	return func(v value) {
		*s = newPolicyStep(v.pos())
		v.object(stepFields(s))
		v.need("statement", s.Statement != "")
	}
}

// stepFields are the keys of a step; those of a case of one step are among the
// case's.
func stepFields(s *PolicyStep) fields {
	return fields{
		"statement": at(&s.Pos, text(&s.Statement)),
		"expect":    verdict(&s.Expect),
		"message":   text(&s.Message),
		"tables":    list(&s.Tables, name),
		"scopes":    texts(&s.Scopes),
		"masked":    list(&s.Masked, column),
		"columns":   texts(&s.Columns),
		"row_cap":   optional64(&s.RowCap),
		"sql":       expression(&s.SQL),
		"golden":    path(&s.Golden),
	}
}

// at also remembers where a value stands.
func at(pos *Pos, set setter) setter {
	return func(v value) {
		*pos = v.pos()
		set(v)
	}
}

// verdict stores allowed, denied or an SQLSTATE.
func verdict(dst *string) setter {
	return func(v value) {
		v.schema.text(`^(allowed|denied|[0-9A-Z]{5})$`, "integer")
		s, ok := v.scalar("allowed, denied or an SQLSTATE")
		if !ok {
			return
		}
		if s != Allowed && s != Denied && !sqlState.MatchString(s) {
			v.fault("expected allowed, denied or an SQLSTATE such as 42501, got %q", s)
			return
		}
		*dst = s
	}
}

// optional64 stores a number that may be left out.
func optional64(dst **int64) setter {
	return func(v value) {
		var n int64
		before := v.d.wrong
		integer(&n, 0, math.MaxInt32)(v)
		if v.d.wrong == before {
			*dst = &n
		}
	}
}

// expression stores a regular expression.
func expression(dst **regexp.Regexp) setter {
	return func(v value) {
		s, ok := v.scalar("a regular expression")
		if !ok {
			return
		}
		x, err := regexp.Compile(s)
		if err != nil {
			v.fault("%s", err)
			return
		}
		*dst = x
	}
}

// path stores a path, which starts at the file's own folder.
func path(dst *string) setter {
	return func(v value) {
		text(dst)(v)
		*dst = beside(v.d.file, *dst)
	}
}
