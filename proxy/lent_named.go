package proxy

import (
	"bytes"

	"github.com/pgask/pgask/proxy/transaction"
	"github.com/pgask/pgask/proxy/wire"
)

// sendBind forwards a Bind of the client's statement as one of the backend's.
func (s *session) sendBind(h wire.Header, due owedReply, frame []byte) error {
	prefix, err := s.prefixOf(h, frame)
	if err != nil {
		return err
	}
	portal, name, ok := wire.BindNames(prefix)
	if !ok {
		return s.forwardOr(h, due, frame)
	}
	at := len(portal) + 1
	return s.sendNamed(h, due, frame, at, name)
}

// sendDescribe forwards a Describe of a prepared statement.
func (s *session) sendDescribe(h wire.Header, due owedReply) error {
	prefix, err := s.up.Prefix(h, maxPrefix)
	if err != nil {
		return err
	}
	kind, name, err := wire.Target(prefix)
	if err != nil || kind != 'S' {
		return s.forwardOr(h, due, nil)
	}
	return s.sendNamed(h, due, nil, 1, name)
}

// sendNamed forwards a frame that has a statement's name at a place of its body.
func (s *session) sendNamed(h wire.Header, due owedReply, frame []byte, at int, name []byte) error {
	l := s.lent
	if l.own && len(name) > 0 {
		return s.forwardOr(h, due, frame)
	}
	if err := s.settle(&l.prepared, name); err != nil {
		return err
	}
	o := l.prepared.get(name, s.owed)
	s.noteClearing(h, frame, o)
	switch {
	case o != nil && o.statement != nil:
		return s.sendAs(h, due, frame, at, len(name), o.statement)
	case len(name) == 0 && o != nil:
		return s.sendUnnamed(h, due, frame, o)
	case len(name) > 0 && l.pinned && !bytes.HasPrefix(name, []byte(ourPrefix)):
		return s.forwardOr(h, due, frame) // it may be one of PREPARE
	}
	return s.plant(h, due, noStatement(name))
}

// noteClearing notes that a portal deallocates all statements, or doesn't.
func (s *session) noteClearing(h wire.Header, frame []byte, o *object) {
	l := s.lent
	clears := o != nil && o.clears
	if h.Type != wire.Bind || (!clears && len(l.clearing) == 0) {
		return
	}
	prefix, err := s.prefixOf(h, frame)
	if err != nil {
		return // it is there already
	}
	if l.clearing == nil {
		l.clearing = map[string]bool{}
	}
	portal, _, _ := wire.BindNames(prefix)
	l.clearing[string(portal)] = clears
}

// sendAs puts the statement's name on backends in the place of the client's.
func (s *session) sendAs(h wire.Header, due owedReply, frame []byte, at, size int, st *transaction.Statement) error {
	if err := s.settleAdding(st.Name()); err != nil {
		return err
	}
	if err := s.ensure(st); err != nil {
		return err
	}
	s.owed.push(due)
	prefix, err := s.prefixOf(h, frame)
	if err != nil {
		return err
	}
	if frame != nil {
		with := append(append(bytes.Clone(prefix[:at]), st.Name()...), 0)
		return s.up.Replace(h, wire.Rebuild(frame, at+size+1, with))
	}
	s.upBuf = append(append(append(s.upBuf[:0], prefix[:at]...), st.Name()...), 0)
	return s.up.Rewrite(h, at+size+1, s.upBuf)
}

// sendUnnamed makes the backend's unnamed statement the client's.
func (s *session) sendUnnamed(h wire.Header, due owedReply, frame []byte, o *object) error {
	k := s.backend.kept
	if err := s.settleAdding(""); err != nil {
		return err
	}
	if k.unnamed != o {
		s.setUnnamed(o)
		parse, err := wire.AppendParseOf(nil, "", o.rest)
		if err := s.inject(owesParse, &lentReply{unnamed: k}, parse, err); err != nil {
			return err
		}
	}
	return s.forwardOr(h, due, frame)
}

// sendClose frees a name of the client. The backend keeps the statement.
func (s *session) sendClose(h wire.Header, due owedReply) error {
	l := s.lent
	prefix, err := s.up.Prefix(h, maxPrefix)
	if err != nil {
		return err
	}
	kind, name, err := wire.Target(prefix)
	if err != nil || kind != 'S' || l.own && len(name) > 0 {
		return s.forwardOr(h, due, nil)
	}
	if err := s.settle(&l.prepared, name); err != nil {
		return err
	}
	o := l.prepared.get(name, s.owed)
	if o != nil {
		c := l.prepared.set(name, s.owed, nil)
		c.also, due.change = due.change, c
		l.retired = append(l.retired, retired{name: string(name), change: c, before: o.statement})
	}
	if len(name) == 0 {
		s.backend.kept.unnamed = nil
		return s.forwardOr(h, due, nil)
	}
	if o == nil && l.pinned && !bytes.HasPrefix(name, []byte(ourPrefix)) {
		return s.forwardOr(h, due, nil)
	}
	frame, err := wire.AppendClose(s.upBuf[:0], 'P', noPortal)
	return s.replace(h, due, frame, err)
}

// sendExecute forwards an Execute. Of a statement that deallocates all others,
// nothing is heard before the batch ends; that it works is taken for granted: if
// it fails, what follows is skipped.
func (s *session) sendExecute(h wire.Header, due owedReply) error {
	l := s.lent
	if len(l.clearing) == 0 {
		return s.forwardOr(h, due, nil)
	}
	prefix, err := s.up.Prefix(h, maxPrefix)
	if err != nil {
		return err
	}
	if name, ok := wire.ExecutePortal(prefix); ok && l.clearing[string(name)] {
		due.change = s.clearNames(due.change)
		due.lent = &lentReply{spoils: s.backend.kept}
		s.backend.kept.held.Clear()
		clear(l.adding)
	}
	return s.forwardOr(h, due, nil)
}
