package stmt

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

const fromHint = "SELECT * FROM ask('your question') AS a"

// AskCall is one ask('question') in a FROM.
type AskCall struct {
	Question string
	// Reading is n of reading => n, 0 without.
	Reading int
	node    *pg_query.Node
}

// Asks finds the calls of ask in a tree, in the order of the text's structure.
// A call stands in a FROM with one string literal, and perhaps the number of a reading,
// however deep; a function
// that is merely called ask can be reached by its schema. Any other call is an
// *Error with a HINT.
func Asks(n *pg_query.Node) ([]AskCall, error) {
	var calls []AskCall
	if n == nil {
		return nil, nil
	}
	if err := findAsks(n, &calls); err != nil {
		return nil, err
	}
	return calls, nil
}

func findAsks(m proto.Message, calls *[]AskCall) error {
	switch x := m.(type) {
	case *pg_query.Node:
		call, ok, err := askIn(x)
		if ok {
			*calls = append(*calls, call)
		}
		if err != nil || ok {
			return err
		}
	case *pg_query.FuncCall:
		if callsAsk(x) {
			return syntaxError("ask() can only stand in FROM", fromHint)
		}
	}
	return Children(m, func(c proto.Message) error { return findAsks(c, calls) })
}

func callsAsk(f *pg_query.FuncCall) bool {
	return len(f.GetFuncname()) == 1 && f.GetFuncname()[0].GetString_().GetSval() == "ask"
}

// askIn tells whether the node is a FROM item that calls ask.
func askIn(n *pg_query.Node) (AskCall, bool, error) {
	r := n.GetRangeFunction()
	if r == nil {
		return AskCall{}, false, nil
	}
	found := false
	for _, item := range r.GetFunctions() {
		list := item.GetList().GetItems()
		if len(list) > 0 && list[0].GetFuncCall() != nil && callsAsk(list[0].GetFuncCall()) {
			found = true
		}
	}
	if !found {
		return AskCall{}, false, nil
	}
	question, reading, err := askQuestion(r)
	return AskCall{Question: question, Reading: reading, node: n}, err == nil, err
}

// askQuestion reads the question of a FROM item that calls ask, and its reading.
func askQuestion(r *pg_query.RangeFunction) (string, int, error) {
	refuse := func(message string) (string, int, error) { return "", 0, syntaxError(message, fromHint) }
	items := r.GetFunctions()[0].GetList().GetItems()
	switch {
	case r.GetIsRowsfrom() || len(r.GetFunctions()) != 1:
		return refuse("ask() can't stand in ROWS FROM")
	case r.GetOrdinality():
		return refuse("ask() can't be used WITH ORDINALITY")
	case len(r.GetColdeflist()) > 0 || len(items) > 1 && items[1].GetNode() != nil:
		return refuse("ask() can't have a column definition list")
	}
	const takes = "ask() takes one string literal, and reading => 1"
	f := items[0].GetFuncCall()
	plain := pg_query.MakeFuncCallNode(f.GetFuncname(), f.GetArgs(), 0)
	plain.GetFuncCall().Funcformat = f.GetFuncformat()
	if len(f.GetArgs()) == 0 || len(f.GetArgs()) > 2 || !Equal(plain, items[0]) {
		return refuse(takes)
	}
	v, ok := f.GetArgs()[0].GetAConst().GetVal().(*pg_query.A_Const_Sval)
	if !ok {
		return refuse(takes)
	}
	if blank(v.Sval.GetSval()) {
		return refuse("the question is empty")
	}
	reading := 0
	if len(f.GetArgs()) == 2 {
		named := f.GetArgs()[1].GetNamedArgExpr()
		if reading = int(named.GetArg().GetAConst().GetIval().GetIval()); named.GetName() != "reading" || reading < 1 {
			return refuse(takes)
		}
	}
	return v.Sval.GetSval(), reading, nil
}

// ReplaceAsk puts a select in the place of a call that Asks found in the same
// tree. LATERAL, the alias and its column names stay; without an alias it is
// called ask. It changes the tree in place and reports whether call was one of
// Asks.
func ReplaceAsk(_ *pg_query.Node, call AskCall, subselect *pg_query.Node) bool {
	r := call.node.GetRangeFunction()
	if r == nil {
		return false
	}
	alias := r.GetAlias()
	if alias == nil {
		alias = AliasOf("ask")
	}
	call.node.Node = &pg_query.Node_RangeSubselect{RangeSubselect: &pg_query.RangeSubselect{
		Lateral: r.GetLateral(), Subquery: subselect, Alias: alias}}
	return true
}
