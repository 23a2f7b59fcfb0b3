package stmt

import (
	"errors"
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// options refuses those whose value the printer would take for one of another
// kind: it doesn't look, reads whatever memory is there, and ends the process
// with COPY (SELECT 1) TO STDOUT (DELIMITER).
func options(list []*pg_query.Node, fits func(name string, value *pg_query.Node) bool) error {
	for _, n := range list {
		d := n.GetDefElem()
		if d == nil || !fits(d.Defname, d.Arg) {
			return fmt.Errorf("print the statement: the value of option %q isn't of the kind that is printed", d.GetDefname())
		}
	}
	return nil
}

// copyOption are COPY's options by name.
func copyOption(name string, value *pg_query.Node) bool {
	switch name {
	case "format", "delimiter", "null", "quote", "escape", "encoding":
		return value.GetString_() != nil
	case "header", "freeze":
		return value == nil || value.GetString_() != nil || value.GetInteger() != nil || value.GetBoolean() != nil
	case "force_quote":
		return value.GetAStar() != nil || nameList(value)
	case "force_not_null", "force_null":
		return nameList(value)
	}
	return false
}

func nameList(n *pg_query.Node) bool {
	for _, item := range n.GetList().GetItems() {
		if item.GetString_() == nil {
			return false
		}
	}
	return len(n.GetList().GetItems()) > 0
}

// explainOption are EXPLAIN's.
func explainOption(_ string, value *pg_query.Node) bool {
	return value == nil || value.GetString_() != nil || value.GetInteger() != nil || value.GetFloat() != nil
}

// transactionMode are those of BEGIN and SET TRANSACTION.
func transactionMode(name string, value *pg_query.Node) bool {
	if name == "transaction_isolation" {
		return value.GetAConst().GetSval() != nil
	}
	return value.GetAConst().GetIval() != nil
}

// settingModes looks at the modes of SET TRANSACTION.
func settingModes(s *pg_query.VariableSetStmt) error {
	if s.GetKind() != pg_query.VariableSetKind_VAR_SET_MULTI {
		return nil
	}
	if s.GetName() == "TRANSACTION SNAPSHOT" {
		if len(s.GetArgs()) != 1 || s.GetArgs()[0].GetAConst().GetSval() == nil {
			return errors.New("print the statement: a snapshot without its name")
		}
		return nil
	}
	return options(s.GetArgs(), transactionMode)
}
