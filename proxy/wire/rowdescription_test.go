package wire

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgproto3/v2"
)

func TestAppendTableless(t *testing.T) {
	field := func(name string, table uint32, column uint16) pgproto3.FieldDescription {
		return pgproto3.FieldDescription{Name: []byte(name), TableOID: table, TableAttributeNumber: column,
			DataTypeOID: 1043, DataTypeSize: -1, TypeModifier: 24, Format: 1}
	}
	encode := func(m pgproto3.RowDescription) []byte {
		b, err := m.Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, names := range [][]string{{}, {"region"}, {"", "a", "région"}} {
		var from, want pgproto3.RowDescription
		for i, n := range names {
			from.Fields = append(from.Fields, field(n, uint32(70000+i), uint16(i+1)))
			want.Fields = append(want.Fields, field(n, 0, 0))
		}
		got, err := AppendTableless([]byte("before"), encode(from)[5:])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append([]byte("before"), encode(want)...), got); diff != "" {
			t.Errorf("%v: %s", names, diff)
		}
	}
	whole := encode(pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{field("a", 1, 1)}})[5:]
	for n := range len(whole) {
		if _, err := AppendTableless(nil, whole[:n]); err == nil {
			t.Errorf("%d of %d bytes were taken for whole", n, len(whole))
		}
	}
	if _, err := AppendTableless(nil, append(whole, 0)); err == nil {
		t.Error("a byte too many was taken")
	}
}
