package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// proveAccess is the second judge's look at a node: what looks objects up may
// only stand where its guard is in place. What it clears is judged as usual.
func (j *judge) proveAccess(n *pg_query.Node) error {
	if c := n.GetTypeCast(); c != nil {
		j.proveLookup(c)
	}
	if f := j.view.guardedComment(n); f != nil {
		j.cleared[f] = true
	}
	call := n.GetFuncCall()
	if call == nil {
		return nil
	}
	name, rule, ok := j.accessFunction(call)
	set := rule.guarded
	if name == "obj_description" && len(call.Args) == 2 {
		set = commented(call.Args[1])
	}
	switch {
	case !ok || j.cleared[call]:
		return nil
	case name == "aclexplode" && len(call.Args) == 1 && stmt.Equal(call.Args[0], noACL()):
		j.cleared[call.Args[0].GetTypeCast().TypeName] = true
	case name == "set_config" && j.harmlessSetting(call) == nil:
	case name == "current_setting" && showsSetting(call):
	case set != setNone && len(call.Args) > 0 && j.view.isGuard(call.Args[0], set):
	default:
		return deny(stateDenied, "permission denied for function %s", name)
	}
	if !plainCall(call) || len(call.Args) < rule.least || len(call.Args) > rule.most {
		return deny(stateDenied, "permission denied for function %s", name)
	}
	j.cleared[call] = true
	return nil
}

// proveLookup is the second judge's look at a cast: a reg type may only be cast
// to, around a guard or a literal that means a built-in object, and only on the
// way to text or oid.
func (j *judge) proveLookup(c *pg_query.TypeCast) {
	number, text := isPlainType(c.TypeName, "oid"), isPlainType(c.TypeName, "text")
	if f := c.Arg.GetFuncCall(); f != nil && (number || text) && plainCall(f) && len(f.Args) == 1 {
		name, _, ok := j.accessFunction(f)
		kind, to := cutPrefix(name, "to_")
		literal := f.Args[0].GetAConst().GetSval()
		if !ok {
			return
		}
		if text && name == "pg_typeof" || to && literal != nil && kind != "regclass" && j.view.builtinLiteral(kind, literal.Sval) {
			j.cleared[f] = true
		}
	}
	inner := c.Arg.GetTypeCast()
	if inner == nil {
		return
	}
	kind, array := lookupType(inner.TypeName)
	if kind == "" || array || !isPlainType(inner.TypeName, kind) || !text && !number {
		return // typeName refuses it
	}
	literal := inner.Arg.GetAConst().GetSval()
	set := lookups()[kind].set
	if literal != nil && j.view.builtinLiteral(kind, literal.Sval) || set != setNone && j.view.isGuard(inner.Arg, set) {
		j.cleared[inner.TypeName] = true
	}
}

// isPlainType tells whether a type is that of pg_catalog, without a length.
func isPlainType(t *pg_query.TypeName, name string) bool {
	return len(t.Names) == 2 && t.Names[0].GetString_().GetSval() == builtinSchema && t.Names[1].GetString_().GetSval() == name && len(t.Typmods) == 0 && len(t.ArrayBounds) == 0 && !t.Setof && !t.PctType
}
