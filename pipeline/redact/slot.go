package redact

import (
	"regexp"
	"strings"
)

// own checks one part of a message: whether it holds nothing but what the
// client said itself or may know.
func (o *Own) own(slot, text string, at place) bool {
	switch slot {
	case "name":
		return o.names(text)
	case "type":
		return o.isType(text)
	case "types":
		for _, t := range strings.Split(text, ", ") {
			if !o.isType(t) {
				return false
			}
		}
		return true
	case "op":
		return operator.MatchString(text)
	case "kw":
		return keywords(text)
	case "n":
		return number.MatchString(text)
	case "regex":
		return known().regexes[text]
	case "value":
		return at.constant && at.value == text
	}
	return false
}

const operatorExpr = "[-+*/<>=~!@#%^&|?`]{1,63}"

var (
	operator = regexp.MustCompile(`\A` + operatorExpr + `\z`)
	number   = regexp.MustCompile(`\A[0-9]{1,9}\z`)
	modifier = regexp.MustCompile(`\([0-9]{1,9}(,-?[0-9]{1,9})?\)`)
)

func keywords(text string) bool {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '/' }) {
		if !known().keywords[w] {
			return false
		}
	}
	return text != ""
}

// isType tells whether a type is built in, or one that the client named.
func (o *Own) isType(text string) bool {
	text = strings.TrimSuffix(modifier.ReplaceAllString(text, ""), "[]")
	return known().types[text] || o.names(text)
}

// names tells whether every part of a possibly qualified name is the client's
// word, or the name of something that it may read.
func (o *Own) names(text string) bool {
	if o == nil || text == "" {
		return false
	}
	if o.knows(text) {
		return true
	}
	for _, part := range strings.Split(text, ".") {
		if len(part) > 2 && part[0] == '"' && part[len(part)-1] == '"' {
			part = strings.ReplaceAll(part[1:len(part)-1], `""`, `"`)
		}
		if !o.knows(part) {
			return false
		}
	}
	return true
}

func (o *Own) knows(name string) bool {
	if o.words == nil {
		o.words = o.read()
	}
	return o.words[name] || o.Known != nil && o.Known(name)
}
