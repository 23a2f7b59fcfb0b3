package plan

import pg_query "github.com/pganalyze/pg_query_go/v5"

func substring(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.texts(args[:1], "substring") {
		return nil
	}
	for i, what := range []string{"the first character's place", "the number of characters"}[:len(args)-1] {
		if _, ok := c.digits(args[i+1], 0, 1<<20, what); !ok {
			return nil
		}
	}
	return &typed{typ: typeText, tree: callNode("substr", trees(args)...)}
}

// ends is left or right of a text, by a number of characters.
func ends(name string) func(*checker, *Call, []*typed, string) *typed {
	return func(c *checker, _ *Call, args []*typed, _ string) *typed {
		if !c.texts(args[:1], name) {
			return nil
		}
		if _, ok := c.digits(args[1], 0, 1<<20, "the number of characters"); !ok {
			return nil
		}
		return &typed{typ: typeText, tree: callNode(name, trees(args)...)}
	}
}

func splitPart(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.texts(args[:2], "split_part") {
		return nil
	}
	if _, ok := c.digits(args[2], 1, 1<<20, "the part's number"); !ok {
		return nil
	}
	return &typed{typ: typeText, tree: callNode("split_part", trees(args)...)}
}

func trunc(c *checker, _ *Call, args []*typed, _ string) *typed {
	if !c.numbers(args[:1], "trunc") {
		return nil
	}
	list := []*pg_query.Node{castNode(args[0].tree, "numeric")}
	if len(args) == 2 {
		if _, ok := c.digits(args[1], -20, 20, "the number of digits"); !ok {
			return nil
		}
		list = append(list, args[1].tree)
	}
	return &typed{typ: typeNumeric, tree: callNode("trunc", list...)}
}
