package policy

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// PartitionKey is a column that a scope calls the partition key of a table.
type PartitionKey struct {
	Table  catalog.Name
	Column string
	// Of is the attribute that it is held to: keys of one attribute have the same
	// value in rows that refer to each other.
	Of string
	// Pos and Key are where the policy says so first.
	Pos configs.Pos
	Key string
}

// PartitionKeys are those that governed roles name in the database, each once.
func (p *Policy) PartitionKeys(s *catalog.Snapshot) []PartitionKey {
	var out []PartitionKey
	for _, name := range slices.Sorted(maps.Keys(p.roles)) {
		r := p.roles[name]
		if !r.inDatabase(s.Database) || r.config.Mode != modeGoverned {
			continue
		}
		for i, rule := range r.scopes {
			if rule.partitionOf == "" {
				continue
			}
			for _, t := range s.Tables {
				k := PartitionKey{t.Name, rule.config.Partition, rule.partitionOf, rule.config.Pos, fmt.Sprintf("roles.%s.scopes[%d].partition", name, i)}
				same := func(o PartitionKey) bool { return o.Table == k.Table && o.Column == k.Column && o.Of == k.Of }
				if matching(rule.config.Tables, t.Name) != nil && r.allows(t.Name) && t.Column(k.Column) != nil && !slices.ContainsFunc(out, same) {
					out = append(out, k)
				}
			}
		}
	}
	return out
}
