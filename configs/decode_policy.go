package configs

import (
	"maps"
	"math"
	"slices"
	"time"
)

// policyVersion is the only version of policy.yaml there is.
const policyVersion = 1

// DecodePolicy reads policy.yaml. Its SQL (scopes, masks) is parsed by package
// policy.
func DecodePolicy(file string, data []byte) (*Policy, []Fault) {
	v := open(file, data)
	p := &Policy{Version: policyVersion, Roles: map[string]*Role{}}
	version := v
	v.object(policyFields(p, &version))
	if p.Version != policyVersion {
		version.fault("this version of pgask reads version %d, got %d", policyVersion, p.Version)
	}
	v.governors(p)
	return p, sorted(v.d.faults)
}

// policyFields are the keys of policy.yaml; version learns where it stands.
func policyFields(p *Policy, version *value) fields {
	return fields{
		"version": func(v value) {
			*version = v
			integer(&p.Version, 0, math.MaxInt32)(v)
		},
		"roles": func(v value) {
			v.entries(func(name string, child value) { p.Roles[name] = role(name, child) })
		},
	}
}

// defaultRole is what a role is that says nothing: it may log in, governed,
// and see nothing. configs/policy.yaml documents the same values.
func defaultRole(name string, pos Pos) *Role {
	return &Role{
		Pos:        pos,
		Name:       name,
		Mode:       "governed",
		Model:      "on",
		SearchPath: []string{"public"},
		Limits: RoleLimits{
			Rows:             1000,
			OnTruncate:       "notice",
			ExplainRows:      1e9,
			StatementTimeout: 30 * time.Second,
		},
		Refusals: "generic",
	}
}

// role reads one entry of roles.
func role(name string, v value) *Role {
	r := defaultRole(name, v.pos())
	if name == "" {
		v.fault("a role needs a name")
	}
	v.object(fields{
		"mode":         enum(&r.Mode, "governed", "passthrough"),
		"ask":          boolean(&r.Ask),
		"approve":      boolean(&r.Approve),
		"model":        enum(&r.Model, "on", "off"),
		"abstain":      roleAbstain(&r.Abstain),
		"planner_mode": enum(&r.PlannerMode, "plan", "sql"),
		"databases":    roleDatabases(&r.Databases),
		"backend":      backend(&r.Backend),
		"search_path":  list(&r.SearchPath, identifierOf),
		"tables":       access(&r.Tables, pattern),
		"columns":      records(&r.Columns, "", columnRule),
		"scopes":       records(&r.Scopes, "", scope),
		"functions":    access(&r.Functions, text),
		"limits":       roleLimits(&r.Limits),
		"refusals":     enum(&r.Refusals, "generic", "explicit"),
		"governed_as":  text(&r.GovernedAs),
	})
	v.twice("databases", r.Databases)
	v.twice("search_path", r.SearchPath)
	return r
}

// roleDatabases reads databases. A role that doesn't have the key may use all,
// so an empty list must not look like that.
func roleDatabases(dst *[]string) setter {
	return func(v value) {
		before := v.d.wrong
		texts(dst)(v)
		if len(*dst) == 0 && v.d.wrong == before {
			v.fault("an empty list names no database; leave the key out to allow every one")
		}
	}
}

// access reads a pair of lists.
func access[T any](dst *Access[T], item func(*T) setter) setter {
	return func(v value) {
		v.object(fields{"allow": list(&dst.Allow, item), "deny": list(&dst.Deny, item)})
	}
}

// maxDailyTokens is more than anybody pays for, and exact in JSON.
const maxDailyTokens = 1_000_000_000_000

// roleLimits reads limits; 0 switches one off.
func roleLimits(l *RoleLimits) setter {
	return func(v value) {
		v.object(fields{
			"rows":              integer(&l.Rows, 0, math.MaxInt32),
			"on_truncate":       enum(&l.OnTruncate, "notice", "error"),
			"explain_rows":      number(&l.ExplainRows, 0, math.MaxFloat64),
			"explain_cost":      number(&l.ExplainCost, 0, math.MaxFloat64),
			"statement_timeout": duration(&l.StatementTimeout, 0),
			"question_tokens":   integer(&l.QuestionTokens, 0, math.MaxInt32),
			"daily_tokens":      integer(&l.DailyTokens, 0, maxDailyTokens),
			"question_cost":     number(&l.QuestionCost, 0, maxMoney),
			"daily_cost":        number(&l.DailyCost, 0, maxMoney),
		})
	}
}

// columnRule reads one entry of columns.
func columnRule(c *ColumnRule) setter {
	return func(v value) {
		c.Pos = v.pos()
		v.object(fields{
			"table": name(&c.Table),
			"deny":  list(&c.Deny, identifierOf),
			"mask":  byColumn(&c.Mask, text),
		})
		v.need("table", c.Table.Table != "")
		if len(c.Deny) == 0 && len(c.Mask) == 0 {
			v.warn("neither deny nor mask: this rule does nothing")
		}
		for _, denied := range c.Deny {
			if _, masked := c.Mask[denied]; masked {
				v.fault("column %s is both denied and masked", Spell(denied))
			}
		}
	}
}

// byColumn reads a mapping whose keys are column names.
func byColumn[T any](dst *map[string]T, item func(*T) setter) setter {
	return func(v value) {
		out := map[string]T{}
		v.entries(func(key string, child value) {
			column, err := ParseIdentifier(key)
			if err != nil {
				child.fault("%s", err)
				return
			}
			if _, twice := out[column]; twice {
				child.fault("column %s is named twice", Spell(column))
				return
			}
			var t T
			item(&t)(child)
			out[column] = t
		})
		*dst = out
	}
}

// scope reads one entry of scopes.
func scope(s *Scope) setter {
	return func(v value) {
		s.Pos = v.pos()
		var one Pattern
		var via, where, table, tables bool
		before := v.d.wrong
		v.object(fields{
			"table":     given(&table, pattern(&one)),
			"tables":    given(&tables, list(&s.Tables, pattern)),
			"where":     given(&where, text(&s.Where)),
			"via":       given(&via, viaOf(&s.Via)),
			"partition": identifierOf(&s.Partition),
		})
		if v.d.wrong > before {
			return
		}
		if table == tables {
			v.fault("a scope needs either table or tables")
		}
		if where == via {
			v.fault("a scope needs either where or via")
		}
		if via && s.Partition != "" {
			v.fault("partition is a column that where holds to an attribute; a scope via another table has none")
		}
		if table {
			s.Tables = []Pattern{one}
		}
	}
}

// given also remembers that a key was there.
func given(there *bool, set setter) setter {
	return func(v value) {
		*there = true
		set(v)
	}
}

// viaOf reads {parent: {own column: parent's column}}.
func viaOf(dst **Via) setter {
	return func(v value) {
		parents := 0
		via := &Via{}
		v.entries(func(key string, child value) {
			parents++
			parent, err := ParseName(key)
			if err != nil {
				child.fault("%s", err)
				return
			}
			via.Parent = parent
			via.Parent.Pos = child.pos()
			byColumn(&via.Columns, identifierOf)(child)
			if len(via.Columns) == 0 {
				child.fault("give the columns that point to the row, as {own column: its column}")
			}
		})
		if parents != 1 {
			v.fault("a scope goes via exactly one table, got %d", parents)
			return
		}
		*dst = via
	}
}

// governors checks governed_as, which may name a role further down.
func (v value) governors(p *Policy) {
	for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
		r := p.Roles[name]
		if r.GovernedAs == "" {
			continue
		}
		at := Fault{Pos: r.Pos, Key: "roles." + name + ".governed_as"}
		as, known := p.Roles[r.GovernedAs]
		switch {
		case r.Mode == "governed":
			at.Msg = "only a passthrough role is governed as another; this one is governed itself"
		case !known:
			at.Msg = "there is no role " + r.GovernedAs + "; " + suggestion(r.GovernedAs, slices.Sorted(maps.Keys(p.Roles)))
		case as.Mode != "governed":
			at.Msg = "role " + as.Name + " is not governed"
		default:
			continue
		}
		v.d.faults = append(v.d.faults, at)
	}
}
