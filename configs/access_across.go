package configs

import (
	"fmt"
	"maps"
	"slices"
)

// asksCertificates tells whether clients have a way to show a certificate.
func (all *All) asksCertificates() bool {
	t := all.Config.TLS
	return t.Mode != "disable" && t.Cert != "" && t.ClientCA != ""
}

// accessAcross warns of access rules that the other files keep from ever
// fitting: patterns without a user or a database, and TLS that isn't there.
func accessAcross(all *All) []Fault {
	var faults []Fault
	databases := append(slices.Collect(maps.Keys(all.Config.Databases)), adminDatabase)
	var users []string
	for _, u := range all.Users.Users {
		users = append(users, u.Name)
	}
	for i, r := range all.Users.Access {
		warn := func(key, format string, args ...any) {
			faults = append(faults, Fault{Pos: r.Pos, Key: fmt.Sprintf("access[%d].%s", i, key), Msg: fmt.Sprintf(format, args...), Warning: true})
		}
		for _, p := range unmatched(r.Users, users) {
			warn("users", "there is no user %s", p)
		}
		for _, p := range unmatched(r.Databases, databases) {
			warn("databases", "pgask.yaml has no database %s", p)
		}
		switch t := all.Config.TLS; {
		case r.TLS == "required" && (t.Mode == "disable" || t.Cert == ""):
			warn("tls", "it never fits: pgask.yaml has no TLS")
		case r.TLS == "certificate" && !all.asksCertificates():
			warn("tls", "it never fits: client certificates are only asked for with tls.client_ca")
		}
	}
	return faults
}

// unmatched are the patterns that match no name.
func unmatched(patterns, names []string) []string {
	return slices.DeleteFunc(slices.Clone(patterns), func(p string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return glob(p, n) })
	})
}
