package merge

import "strings"

// First picks the first offer. The caller leaves empty values out; the names of
// those who came too late are returned.
func First[T any](offers []Offer[T]) (winner Offer[T], ok bool, unused []string) {
	if len(offers) == 0 {
		return winner, false, nil
	}
	for _, offer := range offers[1:] {
		unused = append(unused, offer.From)
	}
	return offers[0], true, unused
}

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
