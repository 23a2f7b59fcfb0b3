package stmt

import "unicode/utf8"

// position is where byte i of text is, in characters from 1, as error messages
// count.
func position(text string, i int) int { return utf8.RuneCountInString(text[:i]) + 1 }
