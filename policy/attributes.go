package policy

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pgask/pgask/configs"
)

// CheckAttributes warns of attributes that the rules of a user's governed roles
// refer to and the user doesn't have: what those rules are about is refused to
// that user. One that is null was left empty on purpose.
func (p *Policy) CheckAttributes(u configs.User) []configs.Fault {
	var faults []configs.Fault
	for _, role := range u.Roles {
		r := p.roles[role]
		if r == nil || r.config.Mode != modeGoverned {
			continue
		}
		for _, name := range r.attributes() {
			if _, ok := u.Attributes[name]; !ok {
				faults = append(faults, configs.Fault{Pos: u.Pos, Key: "users." + u.Name + ".attributes", Warning: true,
					Msg: fmt.Sprintf("there is no %s, which scopes or masks of role %s refer to: their tables are refused to this user", name, role)})
			}
		}
	}
	return faults
}

// attributes are those that scopes and masks refer to, sorted.
func (r *rules) attributes() []string {
	names := map[string]bool{}
	add := func(t *template) {
		if t == nil {
			return
		}
		for _, name := range t.names {
			names[name] = true
		}
	}
	for _, s := range r.scopes {
		add(s.where)
	}
	for _, c := range r.columns {
		for _, m := range c.mask {
			add(m)
		}
	}
	return slices.Sorted(maps.Keys(names))
}
