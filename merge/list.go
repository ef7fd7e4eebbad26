package merge

import "strings"

// Join puts texts one after another with a blank line between. Empty ones are
// left out.
func Join(offers []Offer[string]) string {
	var texts []string
	for _, offer := range offers {
		if offer.Value != "" {
			texts = append(texts, offer.Value)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Append puts lists one after another.
func Append[T any](offers []Offer[[]T]) []T {
	var all []T
	for _, offer := range offers {
		all = append(all, offer.Value...)
	}
	return all
}
