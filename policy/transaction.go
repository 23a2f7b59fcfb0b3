package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// transaction judges transaction control: everything but two-phase commit and
// READ WRITE.
func (j *judge) transaction(n *pg_query.Node, t *pg_query.TransactionStmt) (*pg_query.Node, Facts, error) {
	tag := ""
	switch t.Kind {
	case pg_query.TransactionStmtKind_TRANS_STMT_BEGIN:
		tag = "BEGIN"
	case pg_query.TransactionStmtKind_TRANS_STMT_START:
		tag = "START TRANSACTION"
	case pg_query.TransactionStmtKind_TRANS_STMT_COMMIT:
		tag = "COMMIT"
	case pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK, pg_query.TransactionStmtKind_TRANS_STMT_ROLLBACK_TO:
		tag = "ROLLBACK"
	case pg_query.TransactionStmtKind_TRANS_STMT_SAVEPOINT:
		tag = "SAVEPOINT"
	case pg_query.TransactionStmtKind_TRANS_STMT_RELEASE:
		tag = "RELEASE"
	default:
		return nil, Facts{}, deny(stateDenied, "permission denied: two-phase commit is not allowed for this role")
	}
	if err := transactionModes(t.Options); err != nil {
		return nil, Facts{}, err
	}
	return n, Facts{Tag: tag}, nil
}

// transactionModes judges ISOLATION LEVEL, READ ONLY and DEFERRABLE.
func transactionModes(options []*pg_query.Node) error {
	for _, o := range options {
		d := o.GetDefElem()
		switch d.GetDefname() {
		case "transaction_isolation", "transaction_deferrable":
		case "transaction_read_only":
			if d.Arg.GetAConst().GetIval().GetIval() != 1 {
				return writes("READ WRITE")
			}
		default:
			return deny(stateDenied, "permission denied for this transaction mode")
		}
		if d.Arg.GetAConst() == nil {
			return deny(stateDenied, "permission denied for this transaction mode")
		}
	}
	return nil
}
