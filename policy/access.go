package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// Catalog access functions tell about the database's objects, by OID or by
// name. Postgres would answer for the backend's login, which sees everything,
// so each is answered for the view: by a constant, or by the function itself
// behind a guard that lets only objects pass that the view may know of.

// accessRule says how one function is answered.
type accessRule struct {
	// least and most are how many arguments it takes.
	least, most int
	// guarded, unless setNone, is what the first argument must be of where the
	// call itself is sent on: it gets a guard.
	guarded objectSet
	// answer makes the node that stands for the call, whose arguments were not
	// judged yet. Without it the call stays, with its guard.
	answer func(j *judge, call *pg_query.FuncCall, l *level) (*pg_query.Node, error)
}

// access answers a call of a catalog access function or a cast to a type that
// looks names up. It tells whether the node was one.
func (j *judge) access(n *pg_query.Node, l *level) (bool, error) {
	if c := n.GetTypeCast(); c != nil {
		if kind, array := lookupType(c.TypeName); kind != "" {
			defer func() { j.nested-- }()
			if err := j.nest(); err != nil {
				return true, err
			}
			j.keepName(n)
			return true, j.lookupCast(n, kind, array, l)
		}
		if c.Arg != nil && numberType(c) {
			return j.numberCast(c, l)
		}
		return false, nil
	}
	call := n.GetFuncCall()
	if call == nil {
		return false, nil
	}
	name, rule, ok := j.accessFunction(call)
	if !ok {
		return false, nil
	}
	if anyFunction(j.view.functions.deny, builtinSchema, name) || !plainCall(call) || len(call.Args) < rule.least || len(call.Args) > rule.most {
		return true, j.view.deniedFunction(name)
	}
	defer func() { j.nested-- }()
	if err := j.nest(); err != nil {
		return true, err
	}
	j.keepName(n)
	if rule.answer == nil {
		return true, j.guardCall(call, rule.guarded, l)
	}
	answer, err := rule.answer(j, call, l)
	if err != nil {
		return true, err
	}
	n.Node = answer.Node
	return true, nil
}

// accessFunction finds the rule of a call.
func (j *judge) accessFunction(call *pg_query.FuncCall) (string, accessRule, bool) {
	schema, name, ok := nameParts(call.Funcname)
	if !ok || schema != "" && schema != builtinSchema {
		return name, accessRule{}, false
	}
	rule, ok := j.view.access[name]
	return name, rule, ok
}

// plainCall tells whether a call is nothing but a name and positional
// arguments.
func plainCall(n *pg_query.FuncCall) bool {
	for _, a := range n.Args {
		if a.GetNamedArgExpr() != nil {
			return false
		}
	}
	return n.Over == nil && n.AggFilter == nil && len(n.AggOrder) == 0 && !n.AggStar && !n.AggDistinct && !n.AggWithinGroup && !n.FuncVariadic
}

// guardCall judges the arguments and puts the guard around the first.
func (j *judge) guardCall(call *pg_query.FuncCall, set objectSet, l *level) error {
	if err := j.oidArgument(call.Args[0], "", l); err != nil {
		return err
	}
	if err := j.all(call.Args[1:], l); err != nil {
		return err
	}
	call.Args[0] = j.view.guard(call.Args[0], set)
	return nil
}

// oidArgument judges an argument that gives an OID; kind is the reg type whose
// names it may be written as, empty for none. Afterwards it can be cast to oid.
func (j *judge) oidArgument(n *pg_query.Node, kind string, l *level) error {
	if err := j.singleRow(n); err != nil {
		return err
	}
	if kind != "" && n.GetAConst().GetSval() != nil {
		n.Node = stmt.Cast(stmt.Clone(n), typeNamed(kind)).Node
	}
	j.asNumber(n)
	return j.walk(n, l)
}

// singleRow refuses what can't be evaluated inside a sub-select of its own:
// functions that return sets, window functions, aggregates over nothing of the
// query's.
func (j *judge) singleRow(n *pg_query.Node) error {
	return walk(n, func(m any) error {
		f, ok := m.(*pg_query.FuncCall)
		if !ok {
			return nil
		}
		_, name := functionParts(f.Funcname)
		_, set := j.view.sets[name]
		columns := walk(f, func(m any) error {
			if _, ok := m.(*pg_query.ColumnRef); ok {
				return errMismatch
			}
			return nil
		}) != nil
		if f.Over != nil || set || name == ancestorsFunction || j.view.builtins[name] == functionAggregate && !columns {
			return unsupported("this argument of a catalog function", "Compute it in a sub-select and pass its column.")
		}
		return nil
	})
}

// judged walks a call's arguments and drops them, except where a parameter is
// among them: it must not vanish.
func (j *judge) judged(answer *pg_query.Node, call *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
	var kept []*pg_query.Node
	for _, a := range call.Args {
		before := j.params
		j.params = 0
		j.asNumber(a)
		err := j.walk(a, l)
		if j.params > 0 {
			kept = append(kept, stmt.IsNull(stmt.Cast(a, typeNamed("text"))))
		}
		j.params = max(j.params, before)
		if err != nil {
			return nil, err
		}
	}
	if len(kept) == 0 {
		return answer, nil
	}
	return caseWhen(stmt.Or(kept...), answer, stmt.Clone(answer)), nil
}

// caseWhen is CASE WHEN condition THEN a ELSE b END; b may be nil.
func caseWhen(condition, a, b *pg_query.Node) *pg_query.Node {
	return &pg_query.Node{Node: &pg_query.Node_CaseExpr{CaseExpr: &pg_query.CaseExpr{
		Args: []*pg_query.Node{{Node: &pg_query.Node_CaseWhen{CaseWhen: &pg_query.CaseWhen{Expr: condition, Result: a}}}}, Defresult: b}}}
}
