package integration

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mostParameters is how many a Bind can have.
const mostParameters = 65_535

// TestMostParameters binds a governed statement with as many parameters as the protocol
// allows, in both kinds of pool: the quickest of a few executions takes less than
// a second, whatever else the machine does.
func TestMostParameters(t *testing.T) {
	names, values := make([]string, mostParameters), make([][]byte, mostParameters)
	for i := range values {
		names[i], values[i] = fmt.Sprintf("$%d", i+1), []byte(strconv.Itoa(1+i%9))
	}
	for _, mode := range []string{"session", "transaction"} {
		t.Run(mode, func(t *testing.T) {
			w := newGovernedWorld(t, mode, stateRules(), stateSchema()...)
			conn := w.connect(t).PgConn()
			if _, err := conn.Prepare(t.Context(), "p", "SELECT id FROM flat WHERE id < 6 AND id IN ("+strings.Join(names, ", ")+")", nil); err != nil {
				t.Fatal(err)
			}
			quickest := time.Hour
			for range 5 {
				began := time.Now()
				r := conn.ExecPrepared(t.Context(), "p", values, nil, nil).Read()
				quickest = min(quickest, time.Since(began))
				if r.Err != nil || len(r.Rows) != 5 {
					t.Fatalf("%d rows, %v", len(r.Rows), r.Err)
				}
			}
			t.Logf("%s", quickest.Round(time.Millisecond))
			if quickest >= time.Second {
				t.Errorf("took %s", quickest)
			}
		})
	}
}
