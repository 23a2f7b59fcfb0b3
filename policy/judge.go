package policy

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// judge judges and rewrites one statement's tree in place. The same code runs
// a second time, with verify set, over what the printed text parses to.
type judge struct {
	view *View
	opts Options
	// verify: the tree must already be rewritten. A relation may only stand
	// inside a subselect that is exactly the one the view would put there.
	verify bool
	// risk is that of the statement's operations: whether row rules need a fence.
	risk risk

	used      map[catalog.Name]bool
	systems   map[catalog.Name]*grant
	params    int
	routines  bool // some are called
	generated int
	// width is how many columns were spread out so far.
	width int
	// nested are the catalog access functions around the node being walked, lists
	// the bytes of the lists of objects that were written so far.
	nested, lists int
	// withheldColumn is the refusal of the first named column that has no value,
	// options counts the calls of pg_options_to_table around the node.
	withheldColumn error
	options        int
	// aggregates counts the aggregate calls around the node being walked.
	aggregates int
	// scalars are the output names of scalar sub-selects.
	scalars map[*pg_query.SubLink]string
	// answered are the nodes that were replaced or named anew, with the names that
	// Postgres would have given to their columns.
	answered map[*pg_query.Node]figured
	// replaced is answered while names are asked for as if it weren't so.
	replaced map[*pg_query.Node]figured
	// numbers are the casts and calls whose value of a reg type is wanted as a
	// number.
	numbers map[proto.Message]bool
	// cleared are the calls and types that the second judge found behind their
	// guards.
	cleared map[proto.Message]bool
	// seen and sealed are kept when verifying: every node that was judged, and
	// every subselect that was recognised as the view's own.
	seen   map[proto.Message]bool
	sealed map[proto.Message]bool
}

func newJudge(v *View, o Options) *judge {
	return &judge{view: v, opts: o, used: map[catalog.Name]bool{}, systems: map[catalog.Name]*grant{}, scalars: map[*pg_query.SubLink]string{},
		answered: map[*pg_query.Node]figured{},
		numbers:  map[proto.Message]bool{}, cleared: map[proto.Message]bool{},
		seen: map[proto.Message]bool{}, sealed: map[proto.Message]bool{}}
}

// walk judges a message and everything below it. Every type that may occur is
// named here; any other is refused.
func (j *judge) walk(m proto.Message, l *level) error {
	err := j.walkInto(m, l)
	if err == nil {
		return nil
	}
	if at, ok := m.(interface{ GetLocation() int32 }); ok {
		return located(err, at.GetLocation())
	}
	return err
}

func (j *judge) walkInto(m proto.Message, l *level) error {
	j.mark(m)
	switch n := m.(type) {
	case *pg_query.Node:
		return j.node(n, l)
	case *pg_query.ColumnRef:
		_, err := j.columnRef(n, l)
		return err
	case *pg_query.A_Indirection:
		return j.indirection(n, l)
	case *pg_query.FuncCall:
		return j.call(n, l)
	case *pg_query.SubLink:
		return j.subLink(n, l)
	case *pg_query.TypeName:
		return j.typeName(n, l)
	case *pg_query.ParamRef:
		return j.param(n)
	case *pg_query.SQLValueFunction:
		return j.special(n)
	case *pg_query.WindowDef:
		return j.window(n, l)
	case *pg_query.NamedArgExpr:
		if !plainIdentifier(n.Name) {
			return unsupported("a quoted argument name", "Pass the argument by its position.")
		}
	case *pg_query.A_Expr:
		known, err := j.distance(n, l)
		if err != nil {
			return err
		}
		if err := j.operator(n.Name); err != nil && !known {
			return err
		}
		j.compared(n)
		return j.comparedColumns(n, l)
	case *pg_query.SortBy:
		if err := j.operator(n.UseOp); err != nil {
			return err
		}
	case *pg_query.CollateClause:
		if err := checkCollation(n.Collname); err != nil {
			return deny(stateDenied, "%v", err)
		}
	case *pg_query.CaseExpr, *pg_query.CoalesceExpr, *pg_query.MinMaxExpr, *pg_query.A_ArrayExpr:
		j.unite(m, l)
	case *pg_query.List, *pg_query.String, *pg_query.Integer, *pg_query.Float, *pg_query.Boolean, *pg_query.BitString,
		*pg_query.A_Const, *pg_query.A_Indices, *pg_query.TypeCast, *pg_query.BoolExpr, *pg_query.NullTest,
		*pg_query.BooleanTest, *pg_query.CaseWhen,
		*pg_query.RowExpr, *pg_query.GroupingFunc, *pg_query.GroupingSet:
	default:
		return unsupported(nodeName(m), "Write the statement without it.")
	}
	return stmt.Children(m, func(c proto.Message) error { return j.walk(c, l) })
}

// all walks a list of nodes.
func (j *judge) all(list []*pg_query.Node, l *level) error {
	for _, n := range list {
		if err := j.walk(n, l); err != nil {
			return err
		}
	}
	return nil
}

// optional walks a node that may be missing.
func (j *judge) optional(n *pg_query.Node, l *level) error {
	if n == nil {
		return nil
	}
	return j.walk(n, l)
}

// operator judges an operator's name; there may be none.
func (j *judge) operator(name []*pg_query.Node) error {
	if len(name) == 0 {
		return nil
	}
	if err := checkOperator(name); err != nil {
		return deny(stateDenied, "%v", err)
	}
	if _, op, _ := nameParts(name); slices.Contains(j.view.snapshot.Objects.Added, op) {
		return deny(stateDenied, "permission denied for operator %s", op)
	}
	return nil
}

// mark remembers that a message was judged.
func (j *judge) mark(m proto.Message) {
	if j.verify {
		j.seen[m] = true
	}
}

// node unwraps a node. Questions about the session are answered here, since
// Postgres would answer for the backend's login and pinned search_path.
func (j *judge) node(n *pg_query.Node, l *level) error {
	if j.verify {
		if err := j.proveAccess(n); err != nil {
			return err
		}
	} else if done, err := j.access(n, l); done || err != nil {
		return err
	}
	j.replace(n, j.answer(n))
	j.replace(n, j.tableOID(n, l))
	if _, ok := bareName(n); ok && j.generated > 0 && !j.verify {
		j.keepName(n) // the row of an alias of USING, which may have another name now
	}
	return stmt.Children(n, func(c proto.Message) error { return j.walk(c, l) })
}

// replace puts something, if it isn't nil, in a node's place, and notes what
// Postgres would have called a column of it.
func (j *judge) replace(n, with *pg_query.Node) {
	if with == nil {
		return
	}
	if !j.verify {
		j.keepName(n)
	}
	n.Node = with.Node
}

// keepName notes what Postgres would call a column of a node that will be
// replaced or get another name.
func (j *judge) keepName(n *pg_query.Node) {
	name, strength := j.figureStrength(n)
	j.answered[n] = figured{name, strength}
}

// param notes a parameter. Its type was judged with the message's types.
func (j *judge) param(n *pg_query.ParamRef) error {
	if n.Number < 1 || n.Number > 65535 {
		return deny(stateDenied, "there is no parameter $%d", n.Number)
	}
	j.params = max(j.params, int(n.Number))
	return nil
}

// subLink judges a sub-select in an expression.
func (j *judge) subLink(n *pg_query.SubLink, l *level) error {
	if err := j.operator(n.OperName); err != nil {
		return err
	}
	j.comparedIn(n)
	if err := j.optional(n.Testexpr, l); err != nil {
		return err
	}
	out, err := j.query(n.Subselect, l, nil)
	if err != nil {
		return err
	}
	if len(out.names) > 0 {
		j.scalars[n] = out.names[0]
	}
	return nil
}

// special lets dates and times pass; who and where the session is was answered
// by answer.
func (j *judge) special(n *pg_query.SQLValueFunction) error {
	if timeFunction(n.Op) || n.Op == pg_query.SQLValueFunctionOp_SVFOP_CURRENT_CATALOG {
		return nil
	}
	return deny(stateDenied, "permission denied for this session value")
}

// plainIdentifier tells whether a name is printed the same with and without
// quotes: the printer leaves some names unquoted that need it.
func plainIdentifier(s string) bool {
	for i, r := range s {
		if !(r >= 'a' && r <= 'z' || r == '_' || i > 0 && r >= '0' && r <= '9') {
			return false
		}
	}
	return s != "" && len(s) < 64
}
