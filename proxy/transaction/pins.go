package transaction

// scanner is one reading of a text.
type scanner struct {
	lex      lexer
	reported Reported
	found    Effects
	// body: the text is a DO block's, or a string in it. Statements begin after
	// more than semicolons there, and every string may be one.
	body  bool
	depth int
	// before and last are the two tokens before the one at hand.
	before, last name
	// do, sets: the statement at hand is a DO, a SET.
	do, sets bool
	// temp: the statement at hand makes a temporary table, which goes by itself
	// with ON COMMIT DROP.
	temp bool
	// updates: there was an UPDATE.
	updates bool
	// first: nothing of the statement at hand has been seen.
	first      bool
	statements int
	discards   bool
	// ahead is how many more calls of set_config are looked through.
	ahead int
}

// Bounds of what is read more than once.
const (
	maxDepth = 4
	maxAhead = 8
)

// Scan says what a text may leave behind in a session whose reported
// parameters are known. It reads the text once and allocates nothing.
//
// It sees words, not meanings. What it can't see: what functions, procedures,
// triggers and rules do, statements that a DO block puts together from pieces,
// names that come as parameters, a search_path that leads to a temporary schema
// without naming it in a string of the text, and what sequences remember.
func Scan(text string, reported Reported) Effects {
	s := scanner{lex: lexer{text: text}, reported: reported, first: true, ahead: maxAhead}
	s.run()
	if s.discards && s.statements == 1 {
		s.found |= DiscardsAll
	}
	return s.found
}

func (s *scanner) run() {
	for {
		t := s.lex.next()
		if t.kind == end || s.lex.unsure {
			break
		}
		s.token(t)
	}
	if s.lex.unsure {
		s.found |= Pins
	}
	s.finish()
}

// finish ends the statement at hand.
func (s *scanner) finish() {
	if s.temp {
		s.found |= Pins
	}
	s.temp, s.do, s.sets, s.first = false, false, false, true
	s.before, s.last = nothing, nothing
}

func (s *scanner) token(t token) {
	if t.kind == symbol && t.text == ";" {
		s.finish()
		return
	}
	if s.first {
		s.statements++
	}
	n := t.meaning()
	switch {
	case t.kind == str:
		s.string(t)
	case n != nothing && n != ordinary:
		if s.begins() {
			s.begin(n)
		}
		s.anywhere(n)
	}
	s.first = false
	s.before, s.last = s.last, n
}

// begins reports whether a word at this place may begin a statement.
func (s *scanner) begins() bool {
	if s.first || !s.body {
		return s.first
	}
	switch s.last {
	case nothing, wordBegin, wordThen, wordElse, wordLoop:
		return true
	}
	return false
}

// string looks at what may be run, or be a value of search_path.
func (s *scanner) string(t token) {
	switch {
	case s.sets && temporary(t):
		s.found |= Pins
	case !s.do && !s.body:
	case t.spells() || s.depth == maxDepth:
		s.found |= Pins
	default:
		inner := scanner{lex: lexer{text: t.text}, reported: s.reported, body: true, depth: s.depth + 1, first: true, ahead: s.ahead}
		inner.run()
		s.ahead = inner.ahead
		s.found |= inner.found &^ Names
	}
}

// begin judges a statement by its first words.
func (s *scanner) begin(n name) {
	ahead := s.lex
	switch n {
	case wordListen, wordLoad:
		s.found |= Pins
	case wordPrepare:
		if next := ahead.next(); next.meaning() == wordTransaction {
			if next = ahead.next(); next.kind == str { // not a statement's name
				return
			}
		}
		s.found |= Pins
	case wordDo:
		s.do = true
	case wordSet:
		s.sets = true
		s.found |= s.set(ahead)
	case wordReset:
		s.found |= s.reset(ahead)
	case wordDiscard:
		s.discards = ahead.next().meaning() == wordAll
	case wordDeallocate:
		next := ahead.next().meaning()
		if next == wordPrepare {
			next = ahead.next().meaning()
		}
		switch {
		case next != wordAll:
			s.found |= Names
		case s.body:
			s.found |= DeallocatesAll | Pins
		default:
			s.found |= DeallocatesAll
		}
	}
}

// anywhere judges a word by those around it.
func (s *scanner) anywhere(n name) {
	switch n {
	case nameLeaves:
		s.found |= Pins
	case nameSetConfig:
		if !s.local() {
			s.found |= Pins
		}
	case wordUpdate:
		s.updates = true
	case nameSettings:
		if s.updates {
			s.found |= Pins
		}
	case wordTemp:
		s.temporary()
	case wordHold:
		if s.last == wordWith && s.before == wordCursor {
			s.found |= Pins
		}
	case wordDrop:
		if s.last == wordCommit && s.before == wordOn {
			s.temp = false
		}
	case wordExecute:
		s.execute()
	}
}

// temporary judges TEMP and TEMPORARY, which may also be a column's name.
func (s *scanner) temporary() {
	switch s.last {
	case wordCreate, wordReplace:
		s.temp = true
	case wordLocal, wordGlobal:
		s.temp = true
	case wordInto:
		if s.before != wordInsert && s.before != wordMerge {
			s.temp = true
		}
	}
}

// execute tells the statement from the privilege and from a trigger's clause.
func (s *scanner) execute() {
	if s.body {
		return
	}
	ahead := s.lex
	switch t := ahead.next(); t.meaning() {
	case nothing, wordFunction, wordProcedure, wordOn:
	default:
		s.found |= Names
	}
}

// local reports whether a call of set_config surely is for the transaction
// only: its third and last argument is the word true.
func (s *scanner) local() bool {
	if s.ahead == 0 {
		return false
	}
	s.ahead--
	ahead := s.lex
	if t := ahead.next(); t.kind != symbol || t.text != "(" {
		return false
	}
	depth, commas := 1, 0
	var before, last token
	for depth > 0 {
		t := ahead.next()
		switch {
		case t.kind == end || ahead.unsure || t.kind == str && temporary(t):
			return false
		case t.kind != symbol:
		case t.text == "(" || t.text == "[":
			depth++
		case t.text == ")" || t.text == "]":
			depth--
		case t.text == "," && depth == 1:
			commas++
		}
		if depth > 0 {
			before, last = last, t
		}
	}
	return commas == 2 && last.kind == word && last.meaning() == wordTrue && before.kind == symbol && before.text == ","
}
