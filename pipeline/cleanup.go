package pipeline

import (
	"sync"

	"github.com/pgask/pgask/pipeline/stmt"
)

// cleanUps are the messages of several statements by which pools clean a session
// up: what each does is harmless in a governed one, and the whole leaves nothing.
var cleanUps = sync.OnceValue(func() [][]stmt.Statement {
	var out [][]stmt.Statement
	for _, text := range []string{
		"SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL", // asyncpg
	} {
		if list, err := stmt.Parse(text, stmt.DefaultLimits()); err == nil {
			out = append(out, list)
		}
	}
	return out
})

// cleansUp tells whether a message is one of them.
func cleansUp(message []stmt.Statement) bool {
	for _, list := range cleanUps() {
		if equalTrees(list, message) {
			return true
		}
	}
	return false
}

func equalTrees(a, b []stmt.Statement) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Ask != nil || b[i].Ask != nil || b[i].Tag != (stmt.Tag{}) || !stmt.Equal(a[i].Tree, b[i].Tree) {
			return false
		}
	}
	return true
}
