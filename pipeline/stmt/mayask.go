package stmt

// MayAsk tells whether a text could be more to us than bytes: an ASK, an ask()
// call, a tag or SHOW pgask (all hold "ask"), or a change of
// client_min_messages, by its name or by RESET ALL or DISCARD ALL. It never
// says no to one of these and says yes to much else, so the answer only saves
// parsing. It allocates nothing.
func MayAsk(text []byte) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] | 0x20 {
		case 'a':
			if hasFold(text[i:], "ask") {
				return true
			}
		case 'c':
			if hasFold(text[i:], "client_min_messages") {
				return true
			}
		case 'd':
			if hasFold(text[i:], "discard") {
				return true
			}
		case 'r':
			if hasFold(text[i:], "reset") {
				return true
			}
		}
	}
	return false
}

// MayName tells whether a text could change or use what a prepared statement's
// name stands for: EXECUTE, DEALLOCATE or DISCARD. Like MayAsk it only saves
// parsing.
func MayName(text []byte) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] | 0x20 {
		case 'd':
			if hasFold(text[i:], "deallocate") || hasFold(text[i:], "discard") {
				return true
			}
		case 'e':
			if hasFold(text[i:], "execute") {
				return true
			}
		}
	}
	return false
}

// hasFold tells whether b starts with w, which is in lower case.
func hasFold(b []byte, w string) bool {
	if len(b) < len(w) {
		return false
	}
	for i := 1; i < len(w); i++ {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != w[i] {
			return false
		}
	}
	return true
}
