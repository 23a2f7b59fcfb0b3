package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// rules are one role of policy.yaml, compiled.
type rules struct {
	config    *configs.Role
	columns   map[catalog.Name]*columnRule
	scopes    []*scopeRule
	functions functionRules
}

// columnRule is what a role says about one table's columns.
type columnRule struct {
	deny map[string]bool
	mask map[string]*template
}

// scopeRule is one entry of scopes: either where or via.
type scopeRule struct {
	config configs.Scope
	where  *template
	// partitionOf is the attribute that its partition key is held to.
	partitionOf string
}

// template is an expression over a table's own columns in which attribute
// names[n-1] stands as parameter $n.
type template struct {
	text  string
	names []string
	node  *pg_query.Node
}

// text is the scope as the policy spells it.
func (s *scopeRule) text() string {
	if s.where != nil {
		return s.where.text
	}
	return "via " + s.config.Via.Parent.String()
}

// inDatabase tells whether the role means anything in that database.
func (r *rules) inDatabase(name string) bool {
	if len(r.config.Databases) == 0 {
		return true
	}
	for _, d := range r.config.Databases {
		if d == name {
			return true
		}
	}
	return false
}
