package auth

// Principal is who a client session acts as, once it has proved it. It comes
// from users.yaml and the authentication exchange, never from SQL text.
type Principal struct {
	// User is the name the client logged in with.
	User string
	// Roles are the policy roles of the user, in the file's order, at least one.
	Roles []string
	// Attributes are the values that scopes refer to as :name. A value is a
	// string, int64, float64, bool, nil or a []any of the scalar kinds.
	Attributes map[string]any
	// Admin allows the administration database.
	Admin bool
	// Connections is how many sessions the user may have at once; 0 leaves it
	// to the proxy's own limit.
	Connections int
	// Login, when set, is the backend login of this very user; it wins over
	// the role's.
	Login *Login
}

// Login is the name and password a session uses towards Postgres.
type Login struct {
	User     string
	Password string
}
