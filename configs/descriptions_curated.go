package configs

// curatedKeys describes the keys of curated.yaml.
var curatedKeys = map[string]string{
	"":                             "Queries that people verified, and the questions they answer.",
	"queries":                      "The queries.",
	"queries.*":                    "A query.",
	"queries.*.id":                 "Its name, in receipts.",
	"queries.*.database":           "The database that it is for; every one without the key.",
	"queries.*.question":           "The question, with {name} for a value.",
	"queries.*.also":               "Other questions that it answers.",
	"queries.*.also.*":             "A question, with {name} for a value.",
	"queries.*.description":        "What it answers, for people.",
	"queries.*.sql":                "One SELECT, with :name for a value.",
	"queries.*.params":             "The values, by name.",
	"queries.*.params.*":           "A value.",
	"queries.*.params.*.type":      "Its type.",
	"queries.*.params.*.min":       "The least number.",
	"queries.*.params.*.max":       "The largest number.",
	"queries.*.params.*.choices":   "The only values that it takes.",
	"queries.*.params.*.choices.*": "A value.",
	"queries.*.params.*.default":   "What it is where the question doesn't say.",
	"queries.*.params.*.required":  "The question must say it.",
	"queries.*.params.*.example":   "What \"pgask curated test\" and \"pgask policy diff\" try.",
}
