package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// Policy is policy.yaml, compiled. It is immutable.
type Policy struct {
	roles   map[string]*rules
	version string
}

// Version identifies the policy: equal for files that say the same.
func (p *Policy) Version() string { return p.version }

// Compile parses every expression of the policy. It returns all faults, with
// their places; the Policy is usable only when none of them is more than a
// warning, and nil otherwise.
func Compile(c *configs.Policy) (*Policy, []configs.Fault) {
	p := &Policy{roles: make(map[string]*rules, len(c.Roles))}
	var faults []configs.Fault
	for _, name := range slices.Sorted(maps.Keys(c.Roles)) {
		r, f := compileRole(c.Roles[name], "roles."+name)
		faults = append(faults, f...)
		p.roles[name] = r
	}
	for _, name := range slices.Sorted(maps.Keys(c.Roles)) {
		faults = append(faults, p.checkGovernedAs(c.Roles[name], "roles."+name)...)
	}
	if configs.Faulty(faults) {
		return nil, faults
	}
	p.version = digestOf(c)
	return p, faults
}

// digestOf digests what the policy says, not how the file is laid out.
func digestOf(c *configs.Policy) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(c.Roles)) {
		r := *c.Roles[name]
		fmt.Fprintf(h, "%q %q %v %v %q %q %q %q %v %v %v %q %q\n", name, r.Mode, r.Ask, r.Approve, r.Model, r.PlannerMode, r.Databases, r.SearchPath,
			patternTexts(r.Tables.Allow), patternTexts(r.Tables.Deny), r.Functions, r.Refusals, r.GovernedAs)
		if r.Abstain != nil {
			fmt.Fprintf(h, "abstain %v\n", *r.Abstain)
		}
		if r.Backend != nil {
			fmt.Fprintf(h, "%q\n", r.Backend.User)
		}
		for _, c := range r.Columns {
			fmt.Fprintf(h, "%q %q %q %v\n", c.Table.Schema, c.Table.Table, c.Deny, c.Mask)
		}
		for _, s := range r.Scopes {
			fmt.Fprintf(h, "%v %q", patternTexts(s.Tables), s.Where)
			if s.Partition != "" {
				fmt.Fprintf(h, " partition %q", s.Partition)
			}
			if s.Via != nil {
				fmt.Fprintf(h, " %q %q %v", s.Via.Parent.Schema, s.Via.Parent.Table, s.Via.Columns)
			}
			fmt.Fprintln(h)
		}
		fmt.Fprintf(h, "%+v\n", r.Limits)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func patternTexts(ps []configs.Pattern) []string {
	out := make([]string, len(ps))
	for i, p := range ps {
		out[i] = fmt.Sprintf("%q.%q %v %v", p.Schema, p.Table, p.SchemaWild, p.TableWild)
	}
	return out
}

func compileRole(c *configs.Role, key string) (*rules, []configs.Fault) {
	r := &rules{config: c, columns: map[catalog.Name]*columnRule{}}
	functions, faults := compileFunctions(c, key+".functions")
	r.functions = functions
	x := expressions{builtins: safeBuiltins(), functions: functions}
	for i, rule := range c.Columns {
		faults = append(faults, r.addColumns(rule, fmt.Sprintf("%s.columns[%d]", key, i), x)...)
	}
	for i, s := range c.Scopes {
		faults = append(faults, r.addScope(s, fmt.Sprintf("%s.scopes[%d]", key, i), x)...)
	}
	return r, append(faults, r.checkVia(key)...)
}

func (r *rules) addColumns(c configs.ColumnRule, key string, x expressions) []configs.Fault {
	var faults []configs.Fault
	n := nameOf(c.Table)
	rule := r.columns[n]
	if rule == nil {
		rule = &columnRule{deny: map[string]bool{}, mask: map[string]*template{}}
		r.columns[n] = rule
	}
	for _, name := range c.Deny {
		rule.deny[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.Mask)) {
		t, err := x.compile(c.Mask[name])
		if err != nil {
			faults = append(faults, configs.Fault{Pos: c.Pos, Key: key + ".mask." + name, Msg: err.Error()})
			continue
		}
		if old := rule.mask[name]; old != nil && old.text != t.text {
			faults = append(faults, configs.Fault{Pos: c.Pos, Key: key + ".mask." + name, Msg: "the column has another mask already"})
		}
		rule.mask[name] = t
	}
	return faults
}

func (r *rules) addScope(s configs.Scope, key string, x expressions) []configs.Fault {
	fault := func(sub, msg string) []configs.Fault {
		return []configs.Fault{{Pos: s.Pos, Key: key + sub, Msg: msg}}
	}
	rule := &scopeRule{config: s}
	switch {
	case s.Where != "" && s.Via != nil:
		return fault("", "a scope has either where or via, not both")
	case s.Via != nil && len(s.Via.Columns) == 0:
		return fault(".via", "names no columns")
	case s.Via == nil:
		t, err := x.compile(s.Where)
		if err != nil {
			return fault(".where", err.Error())
		}
		rule.where = t
	}
	if s.Partition != "" {
		if rule.where != nil {
			rule.partitionOf = rule.where.partitionOf(s.Partition)
		}
		if rule.partitionOf == "" {
			return fault(".partition", fmt.Sprintf("where doesn't hold %[1]s to an attribute; write where: \"%[1]s = :%[2]s\", alone or with AND", configs.Spell(s.Partition), s.Partition))
		}
	}
	r.scopes = append(r.scopes, rule)
	return nil
}

// checkVia finds parents that the role may not read, and circles: a table
// whose rows would be visible only through themselves.
func (r *rules) checkVia(key string) []configs.Fault {
	var faults []configs.Fault
	for i, s := range r.scopes {
		if s.config.Via == nil {
			continue
		}
		at := fmt.Sprintf("%s.scopes[%d].via", key, i)
		parent := nameOf(s.config.Via.Parent)
		if matching(r.config.Tables.Allow, parent) == nil || matching(r.config.Tables.Deny, parent) != nil {
			faults = append(faults, configs.Fault{Pos: s.config.Pos, Key: at,
				Msg: fmt.Sprintf("the role may not read %s, so no row would be visible", spell(parent))})
		}
		if r.circular(parent, s, map[*scopeRule]bool{}) {
			faults = append(faults, configs.Fault{Pos: s.config.Pos, Key: at, Msg: "the parent's own scope comes back to this table"})
		}
	}
	return faults
}

// circular tells whether following via from the relation meets target again.
func (r *rules) circular(n catalog.Name, target *scopeRule, seen map[*scopeRule]bool) bool {
	for _, s := range r.scopesOf(n) {
		if s == target {
			return true
		}
		if s.config.Via == nil || seen[s] {
			continue
		}
		seen[s] = true
		if r.circular(nameOf(s.config.Via.Parent), target, seen) {
			return true
		}
	}
	return false
}

// scopesOf are all scopes that name the relation: together they hold.
func (r *rules) scopesOf(n catalog.Name) []*scopeRule {
	var out []*scopeRule
	for _, s := range r.scopes {
		if matching(s.config.Tables, n) != nil {
			out = append(out, s)
		}
	}
	return out
}

func (p *Policy) checkGovernedAs(r *configs.Role, key string) []configs.Fault {
	if r.GovernedAs == "" {
		return nil
	}
	as := p.roles[r.GovernedAs]
	if as == nil || as.config.Mode != modeGoverned {
		return []configs.Fault{{Pos: r.Pos, Key: key + ".governed_as", Msg: fmt.Sprintf("%q is not a governed role", r.GovernedAs)}}
	}
	return nil
}

const modeGoverned = "governed"
