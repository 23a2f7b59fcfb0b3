package configs

import "time"

// Users is users.yaml.
type Users struct {
	Users []User
	// Access says who may come from where. Nil lets everybody in Users come.
	Access []AccessRule
	// Secret, unless empty, is what the answers to unknown users are made from.
	Secret string
}

// User is one entry of users.yaml. Either Password (a SCRAM-SHA-256 verifier,
// or empty) or Cert is set.
type User struct {
	Pos        Pos
	Name       string
	Password   string
	Cert       string
	Roles      []string       // role: and roles: both end here
	Attributes map[string]any // string, int64, float64, bool, nil, []any
	Admin      bool
	Backend    *Backend
	// Expires is when the user stops existing for logins; zero for never.
	Expires time.Time
	// Connections is how many sessions the user may have at once; 0 for what
	// limits.user_clients says.
	Connections int
}

// Backend is a login towards Postgres, of a user or a role.
type Backend struct {
	Pos      Pos
	User     string
	Password string
}
