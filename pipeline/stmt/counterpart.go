package stmt

import (
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Place is where a node of a text stands.
type Place struct {
	// At is the byte of the text.
	At int
	// Constant tells that the node is a literal, Value its text.
	Constant bool
	Value    string
}

// Counterpart finds the node of text that stands at a byte of a rewritten text,
// which has the same statements in the same order. It follows both trees at once;
// ok is false where they part before it, or where it isn't clear which
// node is meant.
func Counterpart(text, rewritten string, at int) (p Place, ok bool) {
	wide := Limits{Bytes: 1 << 20, Tokens: 1 << 16, Depth: 500, Chain: 1000}
	from, err := Parse(text, Limits{})
	if err != nil {
		return p, false
	}
	to, err := Parse(rewritten, wide)
	if err != nil || len(from) != len(to) {
		return p, false
	}
	for i, s := range to {
		if s.Tree == nil || from[i].Tree == nil || at < s.Start || i+1 < len(to) && at >= to[i+1].Start {
			continue
		}
		f := follower{at: int32(at - s.Start)}
		f.nodes(from[i].Tree, s.Tree)
		if f.found && !f.unclear && from[i].Start+f.place.At < len(text) {
			f.place.At += from[i].Start
			return f.place, true
		}
	}
	return p, false
}

// follower walks two trees at once.
type follower struct {
	at             int32
	place          Place
	found, unclear bool
}

func (f *follower) nodes(a, b *pg_query.Node) {
	if x, y := a.GetSelectStmt(), b.GetSelectStmt(); x != nil && y != nil {
		f.both(x.ProtoReflect(), unwrapped(x, y).ProtoReflect())
		return
	}
	f.both(a.ProtoReflect(), b.ProtoReflect())
}

// unwrapped leaves out the queries that a row limit has put around one.
func unwrapped(a, b *pg_query.SelectStmt) *pg_query.SelectStmt {
	for len(b.FromClause) == 1 {
		sub := b.FromClause[0].GetRangeSubselect()
		inner := sub.GetSubquery().GetSelectStmt()
		alias := sub.GetAlias().GetAliasname()
		if inner == nil || alias != "q" && alias != "s" {
			return b
		}
		if len(a.FromClause) == 1 && a.FromClause[0].GetRangeSubselect().GetAlias().GetAliasname() == alias {
			return b // the client's own
		}
		b = inner
	}
	return b
}

// both compares two messages that stand at the same place of their trees.
func (f *follower) both(a, b protoreflect.Message) {
	if a.Descriptor() != b.Descriptor() {
		return
	}
	if n, ok := a.Interface().(*pg_query.Node); ok {
		m := b.Interface().(*pg_query.Node)
		if n.GetSelectStmt() != nil && m.GetSelectStmt() != nil {
			f.both(n.GetSelectStmt().ProtoReflect(), unwrapped(n.GetSelectStmt(), m.GetSelectStmt()).ProtoReflect())
			return
		}
	}
	f.here(a, b)
	fields := a.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if fd.Message() == nil || !a.Has(fd) || !b.Has(fd) {
			continue
		}
		if !fd.IsList() {
			f.both(a.Get(fd).Message(), b.Get(fd).Message())
			continue
		}
		x, y := a.Get(fd).List(), b.Get(fd).List()
		for k := range min(x.Len(), y.Len()) {
			f.both(x.Get(k).Message(), y.Get(k).Message())
		}
	}
}

// here notes the place of two nodes where b's is the one that is looked for.
func (f *follower) here(a, b protoreflect.Message) {
	fd := b.Descriptor().Fields().ByName("location")
	if fd == nil || fd.Kind() != protoreflect.Int32Kind || int32(b.Get(fd).Int()) != f.at {
		return
	}
	from := int(a.Get(fd).Int())
	value, same := alike(a, b)
	switch {
	case !same || from <= 0:
		f.unclear = f.unclear || !same
	case f.found && f.place.At != from:
		f.unclear = true
	default:
		f.found, f.place.At = true, from
		if value != nil {
			f.place.Constant, f.place.Value = true, *value
		}
	}
}

// alike tells whether two nodes of one type say the same; value is that of a
// literal.
func alike(a, b protoreflect.Message) (value *string, same bool) {
	switch x := a.Interface().(type) {
	case *pg_query.A_Const:
		v, w := literal(x), literal(b.Interface().(*pg_query.A_Const))
		return &v, v == w
	case *pg_query.ColumnRef:
		return nil, lastName(x.Fields) == lastName(b.Interface().(*pg_query.ColumnRef).Fields)
	case *pg_query.FuncCall:
		return nil, lastName(x.Funcname) == lastName(b.Interface().(*pg_query.FuncCall).Funcname)
	case *pg_query.A_Expr:
		return nil, lastName(x.Name) == lastName(b.Interface().(*pg_query.A_Expr).Name)
	}
	return nil, true
}

func literal(c *pg_query.A_Const) string {
	switch v := c.GetVal().(type) {
	case *pg_query.A_Const_Sval:
		return v.Sval.Sval
	case *pg_query.A_Const_Fval:
		return v.Fval.Fval
	case *pg_query.A_Const_Ival:
		return strconv.Itoa(int(v.Ival.Ival))
	case *pg_query.A_Const_Boolval:
		return strconv.FormatBool(v.Boolval.Boolval)
	case *pg_query.A_Const_Bsval:
		return v.Bsval.Bsval
	}
	return ""
}

func lastName(list []*pg_query.Node) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].GetString_().GetSval()
}
