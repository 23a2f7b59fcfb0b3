package foreign

import (
	"errors"
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// calculation is a metric that is made of others, whose names are the columns of its expression.
type calculation struct {
	at    Place
	x     Metric
	expr  *pg_query.Node
	state settling
}

// settling is how far it is known whether a calculation can be taken over.
type settling int

const (
	unsettled settling = iota
	open               // what it is made of is being settled
	taken
	left
)

// Calculated adds a metric that is made of others, in whichever order they come.
func (m *Model) Calculated(at Place, x Metric, expr *pg_query.Node) {
	c := &calculation{at: at, x: x, expr: expr}
	m.pending = append(m.pending, c)
	m.calculations[x.Name] = c
}

// settle adds a calculation behind what it is made of, and tells whether it is there.
func (m *Model) settle(c *calculation) bool {
	if c.state != unsettled {
		return c.state == taken
	}
	c.state = open
	text, err := "", error(nil)
	for _, parts := range References(c.expr) {
		name := parts[len(parts)-1]
		if of := m.calculations[name]; err == nil && !m.metrics[name] && (of == nil || !m.settle(of)) {
			err = fmt.Errorf("it is made of %s, which isn't there or wasn't taken over", name)
		}
	}
	if err == nil {
		text, err = c.arithmetic()
	}
	if c.state = left; err != nil {
		m.Note(c.at, "metric "+c.x.Name, "%v", err)
		return false
	}
	c.x.Derived = text
	if m.Metric(c.at, c.x) {
		c.state = taken
	}
	return c.state == taken
}

// arithmetic is a calculation's text.
func (c calculation) arithmetic() (string, error) {
	n := bare(c.expr)
	if wrong := semantic.NotArithmetic(n); wrong != "" {
		return "", errors.New(wrong)
	}
	return stmt.PrintExpr(n)
}
