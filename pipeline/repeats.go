package pipeline

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/stmt"
)

// repeatsPrepared tells of a query that gives the same whether it is sent each
// time it is wanted, or prepared once under the same settings.
func repeatsPrepared(v *verdict) bool {
	return v.facts.Tag == "SELECT" && !setsByCall(v) && !stmt.Momentary(v.text)
}

// alters tells of a statement that may change a setting, or deallocate. What an
// EXECUTE runs may call set_config.
func alters(v *verdict) bool {
	if v.kind == "told" {
		return false
	}
	switch v.facts.Tag {
	case "SELECT", "SHOW", "EXPLAIN", "COPY", "BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE",
		"DECLARE CURSOR", "FETCH", "MOVE", "CLOSE CURSOR", "PREPARE", "UNLISTEN":
		return setsByCall(v)
	}
	return v.facts.Set == nil || v.facts.Set.Name != "application_name"
}

// setsByCall tells of a call that may change a setting, also one that Postgres
// doesn't report.
func setsByCall(v *verdict) bool { return v.facts.Routines || strings.Contains(v.text, "set_config") }

func altering(all []*verdict) bool {
	return slices.ContainsFunc(all, func(v *verdict) bool { return v.alters })
}

// repeats is what Decision.Repeats is for the message.
func (r *ruling) repeats() uint64 {
	if len(r.verdicts) == 1 && r.verdicts[0].repeats {
		return r.verdicts[0].standing
	}
	return 0
}
