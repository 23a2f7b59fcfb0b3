package transaction

// Parameter is one that Postgres reports and that a client may set.
type Parameter uint8

const (
	applicationName Parameter = iota
	clientEncoding
	dateStyle
	defaultTransactionReadOnly
	intervalStyle
	scramIterations
	searchPath
	standardConformingStrings
	timeZone
	parameters // how many there are
)

// parameter is how one is reported and, in lower case, compared: the names of
// settings have no case. All are reported from PostgreSQL 13 on unless said
// otherwise. Reported, but not to be set by a session of its own accord, are
// in_hot_standby, integer_datetimes, is_superuser, server_encoding,
// server_version and session_authorization.
var names = [parameters]struct{ reported, lower string }{
	applicationName:            {"application_name", "application_name"},
	clientEncoding:             {"client_encoding", "client_encoding"},
	dateStyle:                  {"DateStyle", "datestyle"},
	defaultTransactionReadOnly: {"default_transaction_read_only", "default_transaction_read_only"}, // from 14 on
	intervalStyle:              {"IntervalStyle", "intervalstyle"},
	scramIterations:            {"scram_iterations", "scram_iterations"}, // from 16 on
	searchPath:                 {"search_path", "search_path"},           // from 18 on
	standardConformingStrings:  {"standard_conforming_strings", "standard_conforming_strings"},
	timeZone:                   {"TimeZone", "timezone"},
}

// String is the parameter's name as Postgres reports it.
func (p Parameter) String() string { return names[p].reported }

func parameterOf(name string) (Parameter, bool) {
	for p := range names {
		if fold2(name, names[p].lower) {
			return Parameter(p), true
		}
	}
	return 0, false
}

// Reported is the set of parameters that a server reports. With the zero value
// every SET pins.
type Reported uint16

// Has reports whether p is among them.
func (r Reported) Has(p Parameter) bool { return r&(1<<p) != 0 }

// Values are a session's values of reported parameters, as Postgres told them
// last. The zero value knows none; copying gives values of one's own.
type Values struct {
	known  Reported
	values [parameters]value
}

// value is a parameter's, in the client_encoding that was valid when it was
// reported: a change of that doesn't report the others again.
type value struct {
	text     string
	encoding string // empty where the text is ASCII, which is the same in all
}

// Note takes a ParameterStatus in. Those that can't be set are passed over.
func (v *Values) Note(name, text string) {
	p, ok := parameterOf(name)
	if !ok {
		return
	}
	if p == clientEncoding && !v.known.Has(p) { // a greeting, in any order
		for i := range v.values {
			if !ascii(v.values[i].text) {
				v.values[i].encoding = text
			}
		}
	}
	v.known |= 1 << p
	v.values[p] = value{text: text}
	if !ascii(text) {
		v.values[p].encoding = v.values[clientEncoding].text
	}
}

// Reported is what has been noted: what the server reports.
func (v *Values) Reported() Reported { return v.known }

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
