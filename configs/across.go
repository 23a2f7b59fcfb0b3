package configs

import (
	"maps"
	"slices"
)

// across checks what one file says about another.
func across(all *All) []Fault {
	return slices.Concat(usersOfPolicy(all), pricesOfPolicy(all), accessAcross(all), databasesOfPolicy(all), databasesOfCurated(all), reviewed(all))
}

// usersOfPolicy checks that users' roles exist and go together.
func usersOfPolicy(all *All) []Fault {
	var faults []Fault
	known := slices.Sorted(maps.Keys(all.Policy.Roles))
	for _, u := range all.Users.Users {
		note := func(key, msg string, warning bool) {
			faults = append(faults, Fault{Pos: u.Pos, Key: "users." + u.Name + "." + key, Msg: msg, Warning: warning})
		}
		var first *Role
		for _, name := range u.Roles {
			r, ok := all.Policy.Roles[name]
			switch {
			case !ok && all.rolesUnknown: // one fault says it for all users
			case !ok:
				note("roles", "there is no role "+name+" in the policy; "+suggestion(name, known), false)
			case first == nil:
				first = r
			case r.Mode != first.Mode:
				note("roles", "role "+first.Name+" is "+first.Mode+" and "+name+" is "+r.Mode+"; one user's roles must have one mode", false)
			}
		}
		if u.Cert != "" && !all.asksCertificates() {
			note("cert", "client certificates are only asked for with tls.client_ca: this user can't log in", true)
		}
	}
	return faults
}

// databasesOfPolicy warns of databases that roles name and nobody serves.
func databasesOfPolicy(all *All) []Fault {
	var faults []Fault
	for _, name := range slices.Sorted(maps.Keys(all.Policy.Roles)) {
		r := all.Policy.Roles[name]
		for _, db := range r.Databases {
			faults = append(faults, all.unserved(r.Pos, "roles."+name+".databases", db)...)
		}
	}
	return faults
}

// databasesOfCurated warns of databases that queries are for and nobody serves.
func databasesOfCurated(all *All) []Fault {
	var faults []Fault
	for _, q := range all.Curated.Queries {
		if q.Database != "" {
			faults = append(faults, all.unserved(q.Pos, "queries."+q.ID+".database", q.Database)...)
		}
	}
	return faults
}

func (all *All) unserved(pos Pos, key, db string) []Fault {
	if _, ok := all.Config.Databases[db]; ok {
		return nil
	}
	return []Fault{{Pos: pos, Key: key, Msg: "pgask.yaml has no database " + db, Warning: true}}
}
