package plan

import (
	"errors"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The limits of what a plan compiles to, in messages of the tree. Some forms say an
// operand more than once, so that a short plan could mean a tree without end.
const (
	maxExprTree  = 20_000
	maxQueryTree = 200_000
)

var errTooLarge = errors.New("too large")

// tooLarge tells whether a tree has more messages than that. It looks at no more.
func tooLarge(n *pg_query.Node, limit int) bool {
	count := 0
	return n != nil && stmt.Walk(n, func(protoreflect.Message, stmt.Path) error {
		if count++; count > limit {
			return errTooLarge
		}
		return nil
	}) != nil
}

// fitsTree refuses what compiles to a tree that is too large.
func (k *run) fitsTree(n *pg_query.Node, limit int, at string) bool {
	if !tooLarge(n, limit) {
		return true
	}
	k.faultf(stageStructure, CodeTooLarge, at, "the plan compiles to too much SQL; say the part that repeats in a derived block")
	return false
}
