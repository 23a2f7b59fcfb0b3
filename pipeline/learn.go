package pipeline

import "sync"

// learns is who wants to know that an answer ran to its end.
type learns struct {
	first sync.Once
	calls []func()
}

// learn adds one of them, unless nil.
func (v *verdict) learn(ran func()) {
	if ran == nil {
		return
	}
	if v.learns == nil {
		v.learns = &learns{}
	}
	v.learns.calls = append(v.learns.calls, ran)
}

// ended notes how an execution ended. What failed the first time isn't worth keeping,
// whatever comes later.
func (l *learns) ended(o Outcome) {
	if l == nil {
		return
	}
	l.first.Do(func() {
		for _, ran := range l.calls {
			if o.SQLState == "" {
				ran()
			}
		}
	})
}

// showsAll tells of statements that run a query to its end when they complete.
func showsAll(tag string) bool { return tag == "SELECT" || tag == "COPY" || tag == "EXECUTE" }
