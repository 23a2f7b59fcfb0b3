package plan

// substituted is an expression in which f has put others in the place of some of
// its parts; f gives nil for what stays. What is inside aggregates and sub-plans isn't
// looked at.
func substituted(e Expr, f func(Expr) *Expr) Expr {
	if other := f(e); other != nil {
		return *other
	}
	list := func(in []Expr) []Expr {
		if in == nil {
			return nil
		}
		out := make([]Expr, len(in))
		for i := range in {
			out[i] = substituted(in[i], f)
		}
		return out
	}
	switch {
	case e.Op != nil:
		e.Op = &Op{Op: e.Op.Op, Args: list(e.Op.Args)}
	case e.Call != nil:
		e.Call = &Call{Func: e.Call.Func, Unit: e.Call.Unit, Args: list(e.Call.Args)}
	case e.Cast != nil:
		e.Cast = &Cast{Arg: substituted(e.Cast.Arg, f), To: e.Cast.To}
	case e.Case != nil:
		c := &Case{}
		for _, w := range e.Case.When {
			c.When = append(c.When, When{If: substituted(w.If, f), Then: substituted(w.Then, f)})
		}
		if e.Case.Else != nil {
			last := substituted(*e.Case.Else, f)
			c.Else = &last
		}
		e.Case = c
	case e.Window != nil:
		w := *e.Window
		w.Args, w.PartitionBy, w.OrderBy = list(w.Args), list(w.PartitionBy), nil
		for _, o := range e.Window.OrderBy {
			if o.Expr != nil {
				key := substituted(*o.Expr, f)
				o.Expr = &key
			}
			w.OrderBy = append(w.OrderBy, o)
		}
		e.Window = &w
	}
	return e
}
