package pipeline

import (
	"strconv"
	"strings"
	"testing"
)

func denial(t *testing.T, d Decision) string {
	t.Helper()
	if d.Denial == nil || d.Text != d.Denial.Word {
		return "none"
	}
	return sqlState(d.Denial.Err)
}

// PREPARE and EXECUTE are no way around a reload.
func TestReloadJudgesWhatExecuteRuns(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	f.play(s.Query(t.Context(), "PREPARE one AS SELECT 1"))
	f.play(s.Query(t.Context(), "PREPARE counts AS SELECT count(*) FROM shops"))
	f.play(s.Query(t.Context(), "PREPARE gone AS SELECT id FROM sales"))
	f.play(s.Query(t.Context(), "PREPARE asked AS ASK 'how many shops'"))
	f.play(s.Query(t.Context(), "EXECUTE gone"))
	changed := strings.Replace(testPolicy, `"tenant_id = :tenant_id"`, `"tenant_id = 2"`, 1)
	f.pipe.Reload(testRules(t, strings.Replace(changed, "deny: [public.secrets]", "deny: [public.secrets, public.sales]", 1)))
	for name, want := range map[string]string{"one": "none", "counts": "0A000", "gone": "42501", "asked": "0A000",
		"elsewhere": "26000"} {
		if got := denial(t, s.Query(t.Context(), "EXECUTE "+name)); got != want {
			t.Errorf("EXECUTE %s: %s, want %s", name, got, want)
		}
	}
	f.play(s.Query(t.Context(), "DEALLOCATE counts"))
	f.play(s.Query(t.Context(), "PREPARE counts AS SELECT count(*) FROM shops"))
	f.play(s.Query(t.Context(), "EXECUTE counts"))
}

func TestTaggedExecuteNeedsATaggedPrepare(t *testing.T) {
	f := newFixture(t)
	s := f.session("boss")
	if d := s.Query(t.Context(), "PREPARE p AS DELETE FROM shops"); !d.Untouched {
		t.Fatal("touched")
	}
	if got := denial(t, s.Query(t.Context(), "/* pgask: governed */ EXECUTE p")); got != "0A000" {
		t.Errorf("a write behind the tag: %s", got)
	}
	f.play(s.Query(t.Context(), "/* pgask: governed */ PREPARE q AS SELECT count(*) FROM shops"))
	if rows, _ := f.play(s.Query(t.Context(), "/* pgask: governed */ EXECUTE q")); len(rows) != 1 || rows[0][0] != "6" {
		t.Errorf("tagged both: %v", rows)
	}
}

func TestHeldIsBounded(t *testing.T) {
	f := newFixture(t)
	s := f.session("clerk")
	for i := range maxHeld {
		v := &verdict{text: "x"}
		v.facts.Tag, v.facts.Cursor = "DECLARE CURSOR", strconv.Itoa(i)
		s.settle(v, Outcome{})
		f.names[strconv.Itoa(i)] = &Decision{}
	}
	for _, text := range []string{"PREPARE p AS SELECT 1", "BEGIN; DECLARE c CURSOR FOR SELECT 1"} {
		if got := denial(t, s.Query(t.Context(), text)); got != "54000" {
			t.Errorf("%s: %s", text, got)
		}
	}
	f.play(s.Query(t.Context(), "DEALLOCATE ALL"))
	f.play(s.Query(t.Context(), "PREPARE p AS SELECT 1"))
}
