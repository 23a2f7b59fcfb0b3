package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"

	"github.com/pgask/pgask/pipeline/stmt"
)

// nameWindows gives the windows of a SELECT names that need no quotes: the
// printer doesn't quote them.
func (j *judge) nameWindows(s *pg_query.SelectStmt, l *level) {
	if len(s.WindowClause) == 0 {
		return
	}
	l.windows = map[string]string{}
	for _, n := range s.WindowClause {
		w := n.GetWindowDef()
		if w == nil {
			continue
		}
		l.windows[w.Name] = w.Name
		if !plainIdentifier(w.Name) || reservedWord(w.Name) {
			l.windows[w.Name] = j.freshName("window")
		}
	}
}

// window judges a window definition or the use of one.
func (j *judge) window(w *pg_query.WindowDef, l *level) error {
	for _, name := range []*string{&w.Name, &w.Refname} {
		if *name == "" {
			continue
		}
		to, ok := l.windows[*name]
		if !ok {
			return deny("42704", "window %q does not exist", *name)
		}
		*name = to
	}
	return stmt.Children(w, func(c proto.Message) error { return j.walk(c, l) })
}
