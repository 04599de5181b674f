package session

import "flag"

// The random inputs are the same each time; -rapid.seed 0 draws others.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
