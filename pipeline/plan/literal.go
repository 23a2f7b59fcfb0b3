package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// literalTypes are the types a literal may name.
var literalTypes = map[string]typ{"text": typeText, "integer": typeBigint, "numeric": typeNumeric,
	"boolean": typeBool, "date": typeDate, "timestamp": typeTimestamp}

// literal checks a constant. Without a type of its own it stays open until
// its surroundings give it one.
func (c *checker) literal(e *Expr, at string) *typed {
	value, err := scalar(e.Literal.Value)
	if err != nil {
		c.faultf(stageStructure, CodeWrongShape, at+"/literal/value", "%v", err)
		return nil
	}
	l := &Literal{Value: value, Type: e.Literal.Type}
	t := &typed{expr: Expr{Literal: l}, typ: typ{fam: famLiteral}, at: at}
	if l.Type == "" {
		return t
	}
	want, ok := literalTypes[l.Type]
	if !ok {
		f := c.faultf(stageStructure, CodeChoice, at+"/literal/type", "a literal is not of type %s", l.Type)
		f.Nearest = []string{"text", "integer", "numeric", "boolean", "date", "timestamp"}
		return nil
	}
	return c.coerce(t, want)
}

// scalar brings a literal's value to string, bool, nil or json.Number.
func scalar(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool:
		return v, nil
	case string:
		if strings.ContainsRune(v, 0) {
			return nil, fmt.Errorf("a text may not hold the character NUL")
		}
		return v, nil
	case json.Number:
		return number(v.String())
	case int:
		return number(strconv.Itoa(v))
	case int32:
		return number(strconv.FormatInt(int64(v), 10))
	case int64:
		return number(strconv.FormatInt(v, 10))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%v is not a number that JSON knows", v)
		}
		return number(strconv.FormatFloat(v, 'f', -1, 64))
	}
	return nil, fmt.Errorf("a literal's value is a string, a number, a boolean or null")
}

var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?$`)

// number writes a number the one way that equal values share.
func number(s string) (any, error) {
	s = strings.TrimSpace(s)
	if !decimal.MatchString(s) || len(s) > 400 {
		return nil, fmt.Errorf("%.40q is not a number", s)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fmt.Errorf("%.40q is not a number", s)
	}
	if r.IsInt() {
		return json.Number(r.Num().String()), nil
	}
	exact := strings.TrimRight(r.FloatString(1000), "0")
	if len(exact) > 1000 {
		return nil, fmt.Errorf("%.40q has too many digits", s)
	}
	return json.Number(exact), nil
}

// coerce gives an open literal or symbolic date the type of what it stands
// beside, and refuses a value that Postgres would refuse when it runs. A typed
// expression is left as it is.
func (c *checker) coerce(t *typed, to typ) *typed {
	switch t.typ.fam {
	case famSymbol:
		return c.coerceDate(t, to)
	case famLiteral:
	default:
		return t
	}
	value := t.expr.Literal.Value
	tree, got, err := c.constant(value, to)
	if err != nil {
		f := c.faultf(stageNames, CodeLiteral, t.at+"/literal", "%v", err)
		if to.fam == famText {
			f.Code = CodeType
			f.Repair = Repair{{"replace", t.at + "/literal/value", fmt.Sprint(value)}}
			f.Safe = true
		}
		if to.fam == famEnum {
			f.Nearest = c.labels(to, fmt.Sprint(value))
		}
		return nil
	}
	done := *t
	done.tree, done.typ = tree, got
	return &done
}

// constant is a typed constant of the tree, and its type: to, or the wider
// type that the value needs (2.5 beside an integer).
func (c *checker) constant(value any, to typ) (*pg_query.Node, typ, error) {
	if value == nil {
		n, err := stmt.Const(nil, constType(to))
		return n, to, err
	}
	s := fmt.Sprint(value)
	_, isText := value.(string)
	mismatch := fmt.Errorf("%s is not a value of type %s", quoted(value), to)
	switch to.fam {
	case famText:
		if !isText {
			return nil, typ{}, fmt.Errorf("%s is compared with text: write it as a string", quoted(value))
		}
		return constant(s, typeText)
	case famInt, famNumeric, famFloat:
		if _, isBool := value.(bool); isBool {
			return nil, typ{}, mismatch
		}
		n, err := number(s)
		if err != nil {
			return nil, typ{}, mismatch
		}
		return numberConstant(n.(json.Number).String(), to)
	case famBool:
		if s != "true" && s != "false" {
			return nil, typ{}, mismatch
		}
		return stmt.BoolConst(s == "true"), typeBool, nil
	case famEnum:
		if !isText || !slices.Contains(c.enumLabels(to), s) {
			return nil, typ{}, mismatch
		}
		return constant(s, to)
	}
	if !isText {
		return nil, typ{}, mismatch
	}
	return timeConstant(s, to, mismatch)
}

// numberConstant types a number as narrowly as Postgres does.
func numberConstant(s string, to typ) (*pg_query.Node, typ, error) {
	if to.fam == famFloat {
		return constant(s, typeFloat)
	}
	i, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err != nil:
		return constant(s, typeNumeric)
	case i < 0 && i == int64(int32(i)):
		return textNode(s, "int4"), typeInt, nil
	case i < 0:
		return textNode(s, "int8"), typeBigint, nil
	case i == int64(int32(i)):
		return intNode(i), typeInt, nil // digits alone have just these types
	}
	return intNode(i), typeBigint, nil
}

var (
	uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	timeForm = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?$`)
)

// timeConstant types dates, times and identifiers, ISO forms only: others
// mean different days under different settings.
func timeConstant(s string, to typ, mismatch error) (*pg_query.Node, typ, error) {
	switch to.fam {
	case famUUID:
		if uuidForm.MatchString(s) {
			return constant(s, to)
		}
	case famTime:
		if timeForm.MatchString(s) {
			return constant(s, to)
		}
	case famDate, famTimestamp, famTimestamptz:
		hasTime, hasZone, ok := isoMoment(s)
		if !ok {
			return nil, typ{}, fmt.Errorf("%w: write a date of the calendar as YYYY-MM-DD", mismatch)
		}
		switch {
		case to.fam == famDate && hasZone, to.fam == famTimestamp && hasZone:
			return constant(s, typeTimestamptz)
		case to.fam == famDate && hasTime:
			return constant(s, typeTimestamp)
		}
		return constant(s, to)
	}
	return nil, typ{}, mismatch
}

// isoMoment reads YYYY-MM-DD with an optional time and zone.
func isoMoment(s string) (hasTime, hasZone, ok bool) {
	if len(s) < 10 || s[:4] == "0000" {
		return false, false, false
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04", "2006-01-02T15:04",
		"2006-01-02 15:04:05", "2006-01-02T15:04:05"} {
		if _, err := time.Parse(layout, s); err == nil {
			return layout != "2006-01-02", false, true
		}
	}
	for _, layout := range []string{"2006-01-02 15:04:05Z07:00", time.RFC3339} {
		if _, err := time.Parse(layout, s); err == nil {
			return true, true, true
		}
	}
	return false, false, false
}

func constant(s string, t typ) (*pg_query.Node, typ, error) {
	if internal, ok := internalName[t.plain().sql]; ok {
		return textNode(s, internal), t, nil
	}
	n, err := stmt.Const(s, constType(t))
	if err != nil {
		return nil, typ{}, err
	}
	return n, t, nil
}

// internalName is pg_catalog's name of the types that literals mostly have.
var internalName = map[string]string{"text": "text", "numeric": "numeric", "double precision": "float8", "date": "date",
	"timestamp without time zone": "timestamp", "timestamp with time zone": "timestamptz", "uuid": "uuid"}

// constType spells a type for a constant: without length, since a constant
// must not be cut to a column's.
func constType(t typ) string {
	switch t.fam {
	case famEnum:
		return `"` + strings.ReplaceAll(t.name.Schema, `"`, `""`) + `"."` + strings.ReplaceAll(t.name.Table, `"`, `""`) + `"`
	case famTime, famUUID, famOther:
		return t.sql
	}
	return t.plain().sql
}

func quoted(v any) string {
	if s, ok := v.(string); ok {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return fmt.Sprint(v)
}

func (c *checker) enumLabels(t typ) []string {
	for _, u := range c.Catalog.Types {
		if u.Schema == t.name.Schema && u.Name == t.name.Table {
			return u.Labels
		}
	}
	return nil
}

func (c *checker) labels(t typ, want string) []string {
	if near := nearest(want, c.enumLabels(t)); len(near) > 0 {
		return near
	}
	return c.enumLabels(t)
}
