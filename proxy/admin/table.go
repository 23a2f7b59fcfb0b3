package admin

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Types of columns, by their oids in Postgres.
const (
	int8Type = 20
	textType = 25
)

// column is one of a table; its values are int64 or string.
type column struct {
	name string
	oid  uint32
}

// texts and numbers make columns of names.
func texts(names ...string) []column   { return columns(textType, names) }
func numbers(names ...string) []column { return columns(int8Type, names) }

func columns(oid uint32, names []string) []column {
	var out []column
	for _, n := range names {
		out = append(out, column{n, oid})
	}
	return out
}

// Formats of values.
const binaryFormat = 1

// describe is the table's head. formats is of none, one or all columns.
func describe(columns []column, formats []int16) *pgproto3.RowDescription {
	d := &pgproto3.RowDescription{}
	for i, c := range columns {
		size := int16(-1)
		if c.oid == int8Type {
			size = 8
		}
		d.Fields = append(d.Fields, pgproto3.FieldDescription{Name: []byte(c.name), DataTypeOID: c.oid, DataTypeSize: size,
			TypeModifier: -1, Format: format(formats, i)})
	}
	return d
}

func format(formats []int16, i int) int16 {
	switch len(formats) {
	case 0:
		return 0
	case 1:
		return formats[0]
	}
	return formats[i]
}

// checkFormats refuses what the columns can't be given in.
func checkFormats(formats []int16, columns int) error {
	if len(formats) > 1 && len(formats) != columns {
		return &failure{code: "08P01", message: fmt.Sprintf("bind message has %d result formats but query has %d columns", len(formats), columns)}
	}
	for _, f := range formats {
		if f != 0 && f != binaryFormat {
			return &failure{code: "22023", message: fmt.Sprintf("unsupported format code: %d", f)}
		}
	}
	return nil
}

// encode makes a row of values; nil is null.
func encode(values []any, formats []int16) *pgproto3.DataRow {
	row := &pgproto3.DataRow{}
	for i, v := range values {
		row.Values = append(row.Values, encodeValue(v, format(formats, i)))
	}
	return row
}

func encodeValue(v any, format int16) []byte {
	switch v := v.(type) {
	case nil:
		return nil
	case int64:
		if format == binaryFormat {
			return binary.BigEndian.AppendUint64(nil, uint64(v))
		}
		return strconv.AppendInt(nil, v, 10)
	case string:
		return []byte(v)
	}
	panic(fmt.Sprintf("a value of type %T", v))
}
