package configs

// casesKeys describes the keys of a policy test.
var casesKeys = map[string]string{
	"":                       "Statements, who sends them, and what must become of them: for \"pgask policy test\".",
	"cases":                  "The cases.",
	"cases.*":                "A session's statement with what is expected of it, or steps.",
	"cases.*.name":           "What the case shows.",
	"cases.*.user":           "A user of users.yaml; without one the case needs role or roles.",
	"cases.*.role":           "A role in place of the user's.",
	"cases.*.roles":          "Roles in place of the user's.",
	"cases.*.roles.*":        "A role of policy.yaml.",
	"cases.*.attributes":     "Attributes in place of the user's.",
	"cases.*.attributes.*":   "A value, or a list of values of which any fits.",
	"cases.*.attributes.*.*": "A value.",
	"cases.*.database":       "Where; needed where the roles may use several databases.",
	"cases.*.offline":        "It holds without a schema: --offline judges it too.",
	"cases.*.steps":          "Statements that the session sends one after another.",
	"cases.*.steps.*":        "A statement with what is expected of it.",
}

// expectations are the keys of a step, which a case of one step has itself.
var expectations = map[string]string{
	"statement": "What is sent: one statement or several.",
	"expect":    "allowed, denied (by the policy) or an SQLSTATE.",
	"message":   "Part of the refusal's text.",
	"tables":    "The relations that are read, and no others.",
	"tables.*":  "schema.table as in SQL.",
	"scopes":    "The scopes that hold, as SHOW pgask.last has them, and no others.",
	"scopes.*":  "table: rule.",
	"masked":    "The masked columns of what is read, and no others.",
	"masked.*":  "schema.table.column as in SQL.",
	"columns":   "The names of the result's columns, in order.",
	"columns.*": "A name.",
	"row_cap":   "The rows that the result may have.",
	"sql":       "A regular expression that what would be sent matches.",
	"golden":    "Path of a file that holds what would be sent; --update writes it.",
}
