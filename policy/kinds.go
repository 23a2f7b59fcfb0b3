package policy

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// refusedKind says why a kind of statement is refused: most others write.
func refusedKind(n *pg_query.Node) *Denied {
	name := nodeName(innerMessage(n))
	switch x := n.GetNode().(type) {
	case *pg_query.Node_DoStmt, *pg_query.Node_CallStmt, *pg_query.Node_LoadStmt, *pg_query.Node_ListenStmt, *pg_query.Node_NotifyStmt,
		*pg_query.Node_LockStmt, *pg_query.Node_ConstraintsSetStmt, *pg_query.Node_CheckPointStmt:
		return deny(stateDenied, "permission denied: %s is not allowed for this role", statementWords(name)).withHint(mayUse)
	case *pg_query.Node_VacuumStmt:
		if !x.VacuumStmt.IsVacuumcmd {
			return writes("ANALYZE").withHint(mayUse)
		}
	}
	return writes(statementWords(name)).withHint(mayUse)
}

// mayUse is what somebody who typed another kind of statement could type.
const mayUse = "SELECT, COPY (SELECT …) TO STDOUT, EXPLAIN, cursors and prepared statements are allowed."

func innerMessage(n *pg_query.Node) any {
	m := n.ProtoReflect()
	fd := m.WhichOneof(m.Descriptor().Oneofs().Get(0))
	if fd == nil {
		return n
	}
	return m.Get(fd).Message().Interface()
}

// statementWords spells a node type as the words of its statement:
// CreateTableAsStmt is CREATE TABLE AS.
func statementWords(node string) string {
	switch node {
	case "CreateStmt":
		return "CREATE TABLE"
	case "VacuumStmt":
		return "VACUUM"
	case "SecLabelStmt":
		return "SECURITY LABEL"
	case "IndexStmt":
		return "CREATE INDEX"
	case "ViewStmt":
		return "CREATE VIEW"
	case "CheckPointStmt":
		return "CHECKPOINT"
	case "ConstraintsSetStmt":
		return "SET CONSTRAINTS"
	case "RefreshMatViewStmt":
		return "REFRESH MATERIALIZED VIEW"
	}
	node = strings.TrimSuffix(node, "Stmt")
	var b strings.Builder
	for i, r := range node {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String())
}
