package admin

import (
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"
)

// maxNames is how many statements, and how many portals, a session may keep.
const maxNames = 1000

// prepared is a statement by name; its command is nil where it is empty.
type prepared struct{ command *command }

// portal is a bound statement, and what is left of its rows once it has run.
type portal struct {
	command *command
	formats []int16
	ran     bool
	rows    [][]any
}

// extended answers one message of the extended protocol.
func (s *session) extended(message pgproto3.FrontendMessage) error {
	switch m := message.(type) {
	case *pgproto3.Parse:
		return s.parse(m)
	case *pgproto3.Bind:
		return s.bind(m)
	case *pgproto3.Describe:
		return s.describe(m)
	case *pgproto3.Execute:
		return s.execute(m)
	case *pgproto3.Close:
		if m.ObjectType == 'S' {
			delete(s.statements, m.Name)
		} else {
			delete(s.portals, m.Name)
		}
		s.wire.Send(&pgproto3.CloseComplete{})
		return nil
	}
	return &failure{code: "08P01", message: fmt.Sprintf("unexpected message %T", message)}
}

func (s *session) parse(m *pgproto3.Parse) error {
	statements, err := split(m.Query)
	if err != nil {
		return err
	}
	p := &prepared{}
	switch len(statements) {
	case 0:
	case 1:
		if p.command, err = s.console.compile(statements[0]); err != nil {
			return err
		}
	default:
		return &failure{code: "42601", message: "cannot insert multiple commands into a prepared statement"}
	}
	if _, taken := s.statements[m.Name]; taken && m.Name != "" {
		return &failure{code: "42P05", message: fmt.Sprintf("prepared statement %q already exists", m.Name)}
	}
	if len(s.statements) >= maxNames {
		return &failure{code: "53400", message: "too many prepared statements"}
	}
	s.statements[m.Name] = p
	s.wire.Send(&pgproto3.ParseComplete{})
	return nil
}

func (s *session) bind(m *pgproto3.Bind) error {
	p, ok := s.statements[m.PreparedStatement]
	if !ok {
		return noStatement(m.PreparedStatement)
	}
	if len(m.Parameters) > 0 {
		return &failure{code: "08P01", message: fmt.Sprintf("bind message supplies %d parameters, but the admin database's commands have none", len(m.Parameters))}
	}
	if p.command != nil {
		if err := checkFormats(m.ResultFormatCodes, len(p.command.columns)); err != nil {
			return err
		}
	}
	if len(s.portals) >= maxNames {
		return &failure{code: "53400", message: "too many portals"}
	}
	s.portals[m.DestinationPortal] = &portal{command: p.command, formats: append([]int16(nil), m.ResultFormatCodes...)}
	s.wire.Send(&pgproto3.BindComplete{})
	return nil
}

func (s *session) describe(m *pgproto3.Describe) error {
	var c *command
	var formats []int16
	if m.ObjectType == 'S' {
		p, ok := s.statements[m.Name]
		if !ok {
			return noStatement(m.Name)
		}
		c = p.command
		s.wire.Send(&pgproto3.ParameterDescription{})
	} else {
		p, ok := s.portals[m.Name]
		if !ok {
			return noPortal(m.Name)
		}
		c, formats = p.command, p.formats
	}
	if c == nil || c.columns == nil {
		s.wire.Send(&pgproto3.NoData{})
		return nil
	}
	s.wire.Send(describe(c.columns, formats))
	return nil
}

func (s *session) execute(m *pgproto3.Execute) error {
	p, ok := s.portals[m.Portal]
	switch {
	case !ok:
		return noPortal(m.Portal)
	case p.command == nil:
		s.wire.Send(&pgproto3.EmptyQueryResponse{})
		return nil
	case p.ran && p.command.columns == nil:
		return &failure{code: "55000", message: fmt.Sprintf("portal %q cannot be run", m.Portal)}
	case !p.ran:
		rows, err := s.perform(p.command)
		if err != nil {
			return err
		}
		p.ran, p.rows = true, rows
	}
	n := len(p.rows)
	if m.MaxRows > 0 {
		n = min(n, int(m.MaxRows))
	}
	for _, r := range p.rows[:n] {
		s.wire.Send(encode(r, p.formats))
	}
	p.rows = p.rows[n:]
	if len(p.rows) > 0 {
		s.wire.Send(&pgproto3.PortalSuspended{})
		return nil
	}
	s.complete(p.command, n)
	return nil
}

func noStatement(name string) error {
	return &failure{code: "26000", message: fmt.Sprintf("prepared statement %q does not exist", name)}
}

func noPortal(name string) error {
	return &failure{code: "34000", message: fmt.Sprintf("portal %q does not exist", name)}
}
