package poll_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pgask/pgask/proxy/poll"
)

// TestPost: functions run one at a time, those of one goroutine in its order.
func TestPost(t *testing.T) {
	l := poll.Start()
	const posters, each = 8, 2000
	var last [posters]int
	running := false
	var all, posting sync.WaitGroup
	all.Add(posters * each)
	for p := range posters {
		posting.Go(func() {
			for i := 1; i <= each; i++ {
				l.Post(func() {
					defer all.Done()
					if running {
						t.Error("two at a time")
					}
					running = true
					if last[p] != i-1 {
						t.Errorf("%d after %d", i, last[p])
					}
					last[p], running = i, false
				})
			}
		})
	}
	posting.Wait()
	all.Wait()
	l.Close()
	if l.Post(func() { t.Error("called after Close") }) {
		t.Error("posted after Close")
	}
}

// TestCloseRuns: what was posted before Close is run, what is posted by it too.
func TestCloseRuns(t *testing.T) {
	l := poll.Start()
	ran := 0
	l.Post(func() { ran++ })
	l.Post(func() { ran++ })
	l.Close()
	if ran != 2 {
		t.Errorf("ran %d", ran)
	}
}

type handler struct{ f func() }

func (h *handler) Ready() { h.f() }

// TestLater lets others in between.
func TestLater(t *testing.T) {
	l := poll.Start()
	defer l.Close()
	done := make(chan struct{})
	var order []string
	l.Post(func() {
		left := 3
		h := &handler{}
		h.f = func() {
			order = append(order, "turn")
			if left--; left > 0 {
				l.Later(h)
				l.Post(func() { order = append(order, "other") })
				return
			}
			close(done)
		}
		l.Later(h)
	})
	<-done
	if len(order) != 5 || order[1] != "other" || order[3] != "other" {
		t.Errorf("%v", order)
	}
}

// TestLaterOnce: who asks for another turn more than once gets one. Otherwise a
// busy connection would have more of them with every event, and keep them.
func TestLaterOnce(t *testing.T) {
	l := poll.Start()
	turns := 0
	h := &handler{func() { turns++ }}
	l.Post(func() {
		for range 3 {
			l.Later(h)
		}
	})
	on(t, l, func() error { return nil })
	l.Close()
	if turns != 1 {
		t.Errorf("%d turns", turns)
	}
}

// TestParked: a loop that waits is no system call in the eyes of the scheduler,
// whose monitor would keep a processor busy with it.
func TestParked(t *testing.T) {
	far, near, _ := plain(t, "tcp", "127.0.0.1:0")
	l := poll.Start()
	t.Cleanup(l.Close)
	e := newEcho(near, near)
	on(t, l, func() error { return near.Attach(l, e) })
	ping(t, far)
	for stacks := make([]byte, 1<<20); ; runtime.Gosched() {
		n := runtime.Stack(stacks, true)
		for g := range strings.SplitSeq(string(stacks[:n]), "\n\n") {
			if !strings.Contains(g, "poll.(*Loop).run(") {
				continue
			}
			state, _, _ := strings.Cut(g, "\n")
			if strings.Contains(state, "[IO wait") || strings.Contains(state, "[chan receive") {
				return
			}
			if strings.Contains(state, "[syscall") {
				t.Fatal(state)
			}
		}
	}
}

// TestFakeTime: a loop without sockets doesn't keep a test's time from passing.
func TestFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := poll.Start()
		defer l.Close()
		began := time.Now()
		fired := make(chan time.Duration, 1)
		time.AfterFunc(time.Hour, func() { l.Post(func() { fired <- time.Since(began) }) })
		if took := <-fired; took != time.Hour {
			t.Errorf("took %s", took)
		}
	})
}

// TestLoops gives out loops in turn.
func TestLoops(t *testing.T) {
	s := poll.NewLoops(2)
	a, b := s.Next(), s.Next()
	if a == b || s.Next() != a || s.Next() != b {
		t.Error("not in turn")
	}
	s.Close()
	if s.Next() != nil || a.Post(func() {}) || b.Post(func() {}) {
		t.Error("still runs")
	}
}
