package configs

// Users is users.yaml.
type Users struct {
	Users []User
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
}

// Backend is a login towards Postgres, of a user or a role.
type Backend struct {
	Pos      Pos
	User     string
	Password string
}
