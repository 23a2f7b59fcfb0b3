package configs

import (
	"regexp"

	"gopkg.in/yaml.v3"
)

// attributeName is what a scope can write as :name.
var attributeName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// DecodeUsers reads users.yaml. file is for positions and for relative paths
// of secrets.
func DecodeUsers(file string, data []byte) (*Users, []Fault) {
	v := open(file, data)
	u := &Users{}
	v.object(usersFields(u))
	seen := map[string]Pos{}
	for _, one := range u.Users {
		v.unique(seen, one.Name, "users."+one.Name, one.Pos)
	}
	return u, sorted(v.d.faults)
}

func usersFields(u *Users) fields {
	return fields{
		"users":  records(&u.Users, "name", user),
		"access": accessRules(&u.Access),
		"secret": strongSecret(&u.Secret),
	}
}

// user reads one entry of users.
func user(u *User) setter {
	return func(v value) {
		var role string
		u.Pos = v.pos()
		before := v.d.wrong
		v.object(fields{
			"name":        text(&u.Name),
			"password":    secret(&u.Password),
			"cert":        text(&u.Cert),
			"role":        text(&role),
			"roles":       texts(&u.Roles),
			"attributes":  attributes(&u.Attributes),
			"admin":       boolean(&u.Admin),
			"backend":     backend(&u.Backend),
			"expires":     moment(&u.Expires),
			"connections": integer(&u.Connections, 0, 1_000_000),
		})
		v.need("name", u.Name != "")
		switch {
		case role != "" && u.Roles != nil:
			v.fault("give either role or roles")
		case role != "":
			u.Roles = []string{role}
		case len(u.Roles) == 0 && v.node.Kind == yaml.MappingNode:
			v.fault("a user needs a role")
		}
		v.twice("roles", u.Roles)
		v.credentials(before, u)
	}
}

// leastSecret is how long a secret must be, in bytes.
const leastSecret = 16

// strongSecret stores a secret that can't be guessed by its length alone.
func strongSecret(dst *string) setter {
	return func(v value) {
		before := v.d.wrong
		secret(dst)(v)
		if v.d.wrong == before && len(*dst) < leastSecret {
			v.fault("must have at least %d characters, such as \"openssl rand -base64 32\" prints", leastSecret)
		}
	}
}

// credentials checks that there is exactly one way to log in.
func (v value) credentials(before int, u *User) {
	switch {
	case u.Password != "" && u.Cert != "":
		v.fault("give either password or cert")
	case u.Password == "" && u.Cert == "" && v.d.wrong == before:
		v.warn("neither password nor cert: this user can't log in")
	}
}

// backend reads a login towards Postgres.
func backend(dst **Backend) setter {
	return func(v value) {
		b := &Backend{Pos: v.pos()}
		v.object(fields{"user": text(&b.User), "password": secret(&b.Password)})
		v.need("user", b.User != "")
		*dst = b
	}
}

// attributes reads the values that scopes refer to.
func attributes(dst *map[string]any) setter {
	return func(v value) {
		out := map[string]any{}
		v.entries(func(name string, child value) {
			if !attributeName.MatchString(name) {
				child.fault("an attribute's name must be letters, digits and underscores, to be written as :name")
				return
			}
			if a, ok := attribute(child); ok {
				out[name] = a
			}
		})
		*dst = out
	}
}

// attribute is a scalar, or a list of scalars.
func attribute(v value) (any, bool) {
	if v.schema != nil {
		v.schema.scalars()
		return nil, false
	}
	if v.node.Kind != yaml.SequenceNode {
		return scalarOf(v)
	}
	out := []any{}
	before := v.d.wrong
	v.items(func(_ int, item value) {
		if a, ok := scalarOf(item); ok {
			out = append(out, a)
		}
	})
	return out, v.d.wrong == before
}
