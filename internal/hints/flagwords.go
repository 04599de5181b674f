package hints

import (
	"regexp"
	"strings"
)

// flagChoice is the part of a flag that says which choice it makes: its value, or
// no- before it. Two flags that are equal without it replace each other.
var flagChoice = regexp.MustCompile(`=.*$|^(-[fm])no-|^(-O|/O).*$|^(-g)[0-3]?$`)

// flagWords words changed flags, each with "-" before it where it was removed or
// "+" where it was added: "-O3 -> -O2; removed -ffast-math; added -g".
func flagWords(changed []string) string {
	removed, added := map[string][]string{}, map[string][]string{}
	var order []string
	for _, c := range changed {
		of := flagChoice.ReplaceAllString(c[1:], "$1$2$3")
		if len(removed[of])+len(added[of]) == 0 {
			order = append(order, of)
		}
		if c[0] == '-' {
			removed[of] = append(removed[of], c[1:])
		} else {
			added[of] = append(added[of], c[1:])
		}
	}
	var parts, gone, come []string
	for _, of := range order {
		if len(removed[of]) == 1 && len(added[of]) == 1 {
			parts = append(parts, removed[of][0]+" -> "+added[of][0])
			continue
		}
		gone, come = append(gone, removed[of]...), append(come, added[of]...)
	}
	if len(gone) > 0 {
		parts = append(parts, "removed "+strings.Join(gone, ", "))
	}
	if len(come) > 0 {
		parts = append(parts, "added "+strings.Join(come, ", "))
	}
	return strings.Join(parts, "; ")
}
