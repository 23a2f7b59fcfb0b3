package pipeline

import "testing"

// TestRepeats: what may be executed by a statement that was prepared before, and
// what ends that.
func TestRepeats(t *testing.T) {
	s := offline(t)
	p := s.Parse(t.Context(), "SELECT 2", nil)
	s.Follow(heldNames{"p": &p})
	for text, want := range map[string]struct{ repeats, alters bool }{
		"SELECT balance FROM shops":                       {true, false},
		"SELECT now(), current_date, date '2026-11-30'":   {true, false},
		"VALUES (1), (2)":                                 {true, false},
		"SELECT 'today'::date":                            {false, false},
		"SELECT statement_timestamp()":                    {false, false},
		"SELECT set_config('DateStyle', 'German', false)": {false, true},
		"SELECT 1; SELECT 2":                              {false, false},
		"SHOW TimeZone":                                   {false, false},
		"EXPLAIN SELECT 1":                                {false, false},
		"BEGIN":                                           {false, false},
		"COMMIT":                                          {false, false},
		"SET DateStyle = 'German'":                        {false, true},
		"SET application_name = 'a'":                      {false, false},
		"RESET TimeZone":                                  {false, true},
		"SELECT 1; SET TimeZone = 'UTC'":                  {false, true},
		"DEALLOCATE ALL":                                  {false, true},
		"DISCARD ALL":                                     {false, true},
		"DISCARD PLANS":                                   {false, true},
		"PREPARE p AS SELECT 1":                           {false, false},
		"EXECUTE p":                                       {false, true},
		"SELECT public.tidy(1)":                           {false, true},
		"DECLARE c CURSOR FOR SELECT 1":                   {false, false},
		"COPY (SELECT set_config('TimeZone', 'UTC', false)) TO STDOUT": {false, true},
		"SHOW pgask.status": {false, false},
	} {
		first := s.Query(t.Context(), text)
		if first.Denial != nil {
			t.Fatalf("%s: %v", text, first.Denial.Err)
		}
		again := s.Query(t.Context(), text)
		if first.Repeats != 0 || (again.Repeats != 0) != want.repeats || first.Alters != want.alters || again.Alters != want.alters {
			t.Errorf("%s: first %d %v, again %d %v", text, first.Repeats, first.Alters, again.Repeats, again.Alters)
		}
		for range 2 {
			if first = s.Parse(t.Context(), text, nil); first.Denial != nil {
				break // several statements
			}
		}
		if first.Denial == nil && !first.Told && ((first.Repeats != 0) != want.repeats || first.Alters != want.alters) {
			t.Errorf("%s, parsed: %d %v", text, first.Repeats, first.Alters)
		}
	}
}
