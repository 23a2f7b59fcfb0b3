package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/stmt"
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

// What a file of meanings says anew counts at once, under the same policy too.
func TestReloadedMeaning(t *testing.T) {
	f := newFixture(t)
	const question = "ASK 'how many boutiques in Lima'"
	if d := f.session("clerk").Query(t.Context(), question); d.Denial == nil || sqlState(d.Denial.Err) != "PA002" {
		t.Errorf("%+v", d)
	}
	meaning, faults := configs.DecodeSemantic("semantic.yaml", []byte("tables: [{table: public.shops, synonyms: [boutiques]}]"))
	for _, fault := range faults {
		t.Fatal(fault)
	}
	rules := testRules(t, testPolicy)
	rules.Semantic = meaning
	f.pipe.Reload(rules)
	if rows, _ := f.play(f.session("clerk").Query(t.Context(), question)); len(rows) != 1 || rows[0][0] != "2" {
		t.Errorf("boutiques in Lima: %v", rows)
	}
}

// Values that have come are known once the old ones are an hour old.
func TestNewValuesAreFound(t *testing.T) {
	f := newFixture(t)
	var later atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	f.pipe = New(testRules(t, testPolicy), Options{Limits: stmt.DefaultLimits(), Samples: true, Observer: deaf{}, Log: slog.New(slog.DiscardHandler), Now: now})
	s := f.session("clerk")
	const question = "ASK 'how many shops in Reykjavik'"
	unknown := func() {
		t.Helper()
		if d := s.Query(t.Context(), question); d.Denial == nil || sqlState(d.Denial.Err) != "PA002" {
			t.Errorf("%+v", d)
		}
	}
	unknown()
	if _, err := f.conn.Exec(t.Context(), "INSERT INTO shops (id, tenant_id, city) VALUES (99, 1, 'Reykjavik')"); err != nil {
		t.Fatal(err)
	}
	unknown()
	f.db.asides.Wait()
	unknown()
	later.Store(int64(samplesAge))
	unknown()
	f.db.asides.Wait()
	if rows, _ := f.play(s.Query(t.Context(), question)); len(rows) != 1 || rows[0][0] != "1" {
		t.Errorf("shops in Reykjavik: %v", rows)
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
