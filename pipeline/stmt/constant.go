package stmt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v5"
)

// Const is a value as a typed constant. A value is a string, an int, int64,
// float64, bool, nil, time.Time or a []any of these without lists; anything else
// is an error. The type is spelled as format_type does, such as numeric(10,2),
// or schema-qualified: a bare name means pg_catalog's, never what a search_path
// finds. For a list it is the type of the elements, and the constant is an
// array. With an empty type the constant is bare, as if typed by a person.
func Const(v any, sqlType string) (*pg_query.Node, error) {
	list, isList := v.([]any)
	if isList {
		return arrayConst(list, sqlType)
	}
	n, err := bareConst(v)
	if err != nil || sqlType == "" {
		return n, err
	}
	t, err := ParseType(sqlType)
	if err != nil {
		return nil, err
	}
	if b, ok := v.(bool); ok && typeIs(t, "bool") {
		return BoolConst(b), nil
	}
	if f := n.GetAConst(); f.GetFval() != nil || f.GetIval().GetIval() < 0 || f.GetBoolval() != nil {
		// As a string there is no sign that a cast could bind closer than.
		s, err := valueText(v)
		if err != nil {
			return nil, err
		}
		n = StringConst(s)
	}
	return Cast(n, t), nil
}

func bareConst(v any) (*pg_query.Node, error) {
	switch x := v.(type) {
	case nil:
		return Null(), nil
	case bool:
		return BoolConst(x), nil
	case int:
		return IntConst(int64(x)), nil
	case int64:
		return IntConst(x), nil
	}
	s, err := valueText(v)
	if err != nil {
		return nil, err
	}
	if f, ok := v.(float64); ok && !math.IsInf(f, 0) && !math.IsNaN(f) {
		return FloatConst(s), nil
	}
	return StringConst(s), nil
}

// valueText is a value as Postgres reads it from text.
func valueText(v any) (string, error) {
	switch x := v.(type) {
	case string:
		if strings.IndexByte(x, 0) >= 0 {
			return "", fmt.Errorf("a text value can't hold a zero byte")
		}
		return x, nil
	case int:
		return strconv.Itoa(x), nil
	case int64:
		return strconv.FormatInt(x, 10), nil
	case float64:
		return floatText(x), nil
	case bool:
		return strconv.FormatBool(x), nil
	case time.Time:
		return x.Format("2006-01-02T15:04:05.999999Z07:00"), nil
	}
	return "", fmt.Errorf("a value of type %T can't be a constant", v)
}

func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func arrayConst(list []any, sqlType string) (*pg_query.Node, error) {
	items := make([]string, len(list))
	for i, v := range list {
		if v == nil {
			items[i] = "NULL"
			continue
		}
		s, err := valueText(v)
		if err != nil {
			return nil, err
		}
		items[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
	}
	n := StringConst("{" + strings.Join(items, ",") + "}")
	if sqlType == "" {
		return n, nil
	}
	t, err := ParseType(strings.TrimSuffix(sqlType, "[]") + "[]")
	if err != nil {
		return nil, err
	}
	return Cast(n, t), nil
}

// ParseType reads the name of a type, such as numeric(10,2)[] or
// public."Status". A bare name is made pg_catalog's.
func ParseType(sqlType string) (*pg_query.TypeName, error) {
	n, names, err := ParseExpr("NULL::" + sqlType)
	if err != nil {
		return nil, fmt.Errorf("type %q: %w", sqlType, err)
	}
	c := n.GetTypeCast()
	if c == nil || !c.GetArg().GetAConst().GetIsnull() || len(names) > 0 {
		return nil, syntaxError(fmt.Sprintf("%q isn't the name of a type", sqlType), "")
	}
	t := c.GetTypeName()
	if len(t.GetNames()) == 1 {
		t.Names = append(Names("pg_catalog"), t.GetNames()...)
	}
	return t, nil
}

func typeIs(t *pg_query.TypeName, name string) bool {
	n := t.GetNames()
	return len(n) == 2 && n[0].GetString_().GetSval() == "pg_catalog" && n[1].GetString_().GetSval() == name &&
		len(t.GetArrayBounds()) == 0
}
