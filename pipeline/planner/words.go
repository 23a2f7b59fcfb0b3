package planner

// generalSynonyms are groups of words that name the same column in any
// domain. Words that name things (customer, client, account) are not among them: what a
// customer is, semantic.yaml says.
var generalSynonyms = [][]string{
	{"last name", "surname", "family name"},
	{"first name", "given name", "forename"},
	{"telephone", "phone", "phone number", "telephone number"},
	{"date of birth", "birth date", "birthday", "birth day"},
	{"email", "email address", "e mail"},
	{"zip code", "postal code", "post code", "zip"},
	{"quantity", "amount ordered"},
	{"gender", "sex"},
	{"id", "identifier"},
	{"height", "stature"},
	{"description", "detail"},
}

// set makes a lookup of words.
func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// functionWords are words that never name a value by themselves unless quoted.
var functionWords = set("a", "an", "the", "of", "in", "on", "at", "by", "for", "to", "from", "with", "and", "or", "not", "no", "is", "are",
	"was", "were", "be", "do", "does", "did", "has", "have", "had", "how", "many", "much", "what", "which", "who", "whose", "where", "when",
	"there", "that", "this", "these", "those", "it", "its", "their", "his", "her", "them", "they", "he", "she", "we", "our", "i", "you", "me",
	"all", "any", "each", "every", "more", "most", "less", "least", "than", "over", "under", "after", "before", "between", "since", "per",
	"top", "last", "first", "next", "other", "only", "some", "as", "both", "either", "up", "out", "if", "so", "but", "list", "show", "find",
	"count", "number", "total", "average", "name", "names", "sum", "maximum", "minimum", "different", "distinct", "year", "month", "week", "day",
	"quarter", "today", "order", "ordered", "sorted", "without", "never")

// determiners say nothing that a plan could leave out wrongly.
var determiners = set("the", "a", "an", "all", "their", "its", "his", "her", "our", "these", "those", "any", "of", "s", "corresponding", "respective", "various")

// allWords say of rows that none of them is otherwise.
var allWords = set("all", "every", "each")

// distinctWords ask for each value once.
var distinctWords = set("different", "distinct", "unique")

// opening are the words that only ask: they carry nothing else.
var openings = [][]string{
	{"please"}, {"can", "you"}, {"could", "you"}, {"i", "want", "to", "know"}, {"i", "would", "like", "to", "know"}, {"i", "would", "like", "to", "see"},
	{"tell", "me"}, {"give", "me"}, {"show", "me"}, {"let", "me", "know"}, {"show"}, {"list"}, {"find"}, {"give"}, {"return"}, {"display"}, {"get"},
	{"select"}, {"report"}, {"compute"}, {"calculate"}, {"take"}, {"determine"}, {"identify"}, {"name"}, {"just", "report"}, {"just", "show"}, {"retrieve"}, {"what", "is"}, {"what", "are"}, {"what", "was"}, {"what", "were"}, {"what", "re"},
	{"who", "are"}, {"who", "is"}, {"which"}, {"what"}, {"find", "out"}, {"me"}, {"up"}, {"also"}, {"state"}, {"provide"}, {"is"}, {"are"}, {"a", "list", "of"}, {"the", "list", "of"}, {"list", "of"}, {"the", "following"},
}

// endings say that the things asked about exist.
var endings = [][]string{
	{"are", "there"}, {"is", "there"}, {"were", "there"}, {"do", "we", "have"}, {"did", "we", "have"}, {"do", "they", "have"}, {"exist"}, {"in", "total"}, {"altogether"},
	{"in", "the", "database"}, {"are", "in", "the", "database"}, {"we", "have"}, {"are", "available"}, {"are", "recorded"}, {"in", "all"}, {"overall"},
	{"are", "listed"}, {"do", "exist"}, {"have", "we"}, {"have", "we", "had"}, {"were", "made"}, {"were", "placed"}, {"that", "we", "have"}, {"available"}, {"there"}, {"they", "are", "in"}, {"they", "are", "on"}, {"that", "they", "are", "in"}, {"that", "they", "are", "on"}, {"they", "belong", "to"}, {"in", "the", "system"}, {"listed"}, {"on", "record"}, {"on", "file"}, {"in", "the", "record"}, {"in", "the", "records"},
}

// aggregates are the words that reduce a column to one number.
var aggregateWords = map[string]string{
	"average": "avg", "mean": "avg", "avg": "avg", "sum": "sum", "total": "sum", "minimum": "min", "min": "min", "maximum": "max", "max": "max",
	"highest": "max", "lowest": "min", "largest": "max", "smallest": "min", "greatest": "max", "biggest": "max", "combined": "sum",
}

// superlatives rank rows by the column behind them, true for descending.
var superlatives = map[string]bool{
	"highest": true, "largest": true, "greatest": true, "biggest": true, "most": true, "maximum": true, "max": true, "top": true,
	"lowest": false, "smallest": false, "least": false, "fewest": false, "minimum": false, "min": false,
	"longest": true, "shortest": false, "oldest": true, "youngest": false, "best": true, "worst": false, "cheapest": false, "heaviest": true, "lightest": false, "tallest": true, "newest": true, "latest": true, "earliest": false,
}

// adjectives rank rows of a table by a column they imply, true for
// descending; the table must have exactly one such column.
var adjectives = map[string]struct {
	columns []string
	desc    bool
}{
	"oldest": {[]string{"age"}, true}, "youngest": {[]string{"age"}, false},
	"cheapest": {[]string{"price", "cost"}, false}, "priciest": {[]string{"price", "cost"}, true},
	"tallest": {[]string{"height"}, true}, "longest": {[]string{"length", "duration"}, true}, "shortest": {[]string{"length", "duration", "height"}, false},
	"latest": {[]string{"date", "year", "time"}, true}, "newest": {[]string{"date", "year", "time"}, true}, "earliest": {[]string{"date", "year", "time"}, false},
	"highest":  {[]string{"height", "elevation", "altitude"}, true},
	"heaviest": {[]string{"weight"}, true}, "lightest": {[]string{"weight"}, false},
}

// comparatives compare the column they imply.
var comparatives = map[string]struct {
	columns []string
	op      string
}{
	"older": {[]string{"age"}, ">"}, "younger": {[]string{"age"}, "<"}, "taller": {[]string{"height"}, ">"}, "heavier": {[]string{"weight"}, ">"},
	"lighter": {[]string{"weight"}, "<"}, "longer": {[]string{"length", "duration"}, ">"}, "higher": {[]string{"height", "elevation", "altitude"}, ">"}, "shorter": {[]string{"length", "duration", "height"}, "<"}, "cheaper": {[]string{"price", "cost"}, "<"},
}

// directionWords say which way to sort.
var directionWords = set("ascending", "descending", "increasing", "decreasing", "alphabetical", "alphabetically", "lexicographical", "asc", "desc", "sort", "corresponding", "been", "except", "common", "popular", "frequent")

// lightVerbs only tie a value to the thing it describes.
var lightVerbs = set("located", "living", "live", "lives", "lived", "based", "situated", "found", "come", "comes", "coming", "made", "belong", "belongs",
	"belonging", "stored", "held", "happened", "occurred", "took", "given", "associated", "related", "categorized", "classified", "listed", "headquartered")

// calendarWords are words for parts of a year or a week.
var calendarWords = set("q1", "q2", "q3", "q4", "h1", "h2", "half", "ytd", "qtd", "mtd", "weekday", "weekdays", "weekends")
