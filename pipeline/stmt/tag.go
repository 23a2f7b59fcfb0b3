package stmt

import "strings"

// parseTag reads the comments in front of a statement.
func parseTag(text string, comments []token) (Tag, error) {
	var tag Tag
	for _, c := range comments {
		key, value, ok := strings.Cut(commentBody(c.text(text)), ":")
		if !ok {
			continue
		}
		value = strings.Trim(value, space)
		switch strings.ToLower(strings.Trim(key, space)) {
		case "ask":
			if value == "" {
				return tag, syntaxError("the question in the comment is empty", "/* ask: your question */ SELECT 1")
			}
			if tag.Question != "" {
				return tag, syntaxError("two comments ask a question", "/* ask: your question */ SELECT 1")
			}
			tag.Question = value
		case "pgask":
			if !strings.EqualFold(value, "governed") {
				return tag, syntaxError("unknown pgask tag", "/* pgask: governed */ SELECT 1")
			}
			tag.Governed = true
		}
	}
	return tag, nil
}

func commentBody(c string) string {
	if strings.HasPrefix(c, "--") {
		return c[2:]
	}
	return strings.TrimSuffix(strings.TrimPrefix(c, "/*"), "*/")
}
