package configs

import "maps"

// descriptions say what the keys of each kind of file mean, for its JSON
// schema: by the dotted path of the key, in which * is any entry. A test wants
// one of every key and none besides.
var descriptions = map[string]map[string]string{
	"pgask":       pgaskKeys,
	"users":       usersKeys,
	"policy":      policyKeys,
	"reviews":     reviewsKeys,
	"semantic":    semanticKeys,
	"curated":     curatedKeys,
	"policy_test": casesKeys,
}

// descriptionsOf are those of one kind of file.
func descriptionsOf(kind string) map[string]string {
	out := maps.Clone(descriptions[kind])
	if kind == "policy_test" {
		for key, text := range expectations {
			out["cases.*."+key], out["cases.*.steps.*."+key] = text, text
		}
	}
	return out
}
