package pipeline

import (
	"context"
	"errors"
	"testing"
)

// The values that questions are read against are everybody's: they must not
// depend on the patience of whoever asks first.
func TestCancelledQuestionLeavesNoGap(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if d := s.Query(ctx, "ASK 'how many shops in Lima'"); d.Denial == nil || sqlState(d.Denial.Err) != "57014" {
		t.Errorf("%+v", d)
	}
	if rows, _ := f.play(f.session("clerk").Query(t.Context(), "ASK 'how many shops in Lima'")); len(rows) != 1 || rows[0][0] != "2" {
		t.Errorf("shops in Lima: %v", rows)
	}
}

func TestMemo(t *testing.T) {
	var m memo[int]
	impatient, leave := context.WithCancel(t.Context())
	begun, finish := make(chan struct{}), make(chan struct{})
	left, got := make(chan error), make(chan int)
	go func() {
		_, err := m.get(impatient, "a", func(ctx context.Context) (int, error) {
			close(begun)
			<-finish
			return 1, ctx.Err()
		})
		left <- err
	}()
	<-begun
	go func() {
		v, _ := m.get(t.Context(), "a", func(context.Context) (int, error) { return 2, nil })
		got <- v
	}()
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the impatient one: %v", err)
	}
	close(finish)
	<-got // of either computation: the second may have begun after the first
	v, err := m.get(t.Context(), "a", func(context.Context) (int, error) { return 0, errors.New("computed again") })
	if v == 0 || err != nil {
		t.Errorf("remembered: %d, %v", v, err)
	}
	if _, err := m.get(t.Context(), "b", func(context.Context) (int, error) { panic("x") }); err == nil {
		t.Error("a panic was no error")
	}
}
