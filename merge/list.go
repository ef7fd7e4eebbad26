package merge

import (
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
)

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

// combineOffers makes one value of what replies offer for a field, if any does.
func combineOffers[T any](c *combination, f hookpoints.AnswerField, offers []Offer[T], by func([]Offer[T]) T) {
	if len(offers) == 0 {
		return
	}
	if value, err := strictjson.Encode(by(offers)); err == nil {
		c.answer = put(c.answer, f.Name, string(value))
	}
}

// offersOf reads a field of every reply that has it, and notes that it takes effect.
func offersOf[T any](replies []*reply, f hookpoints.AnswerField) []Offer[T] {
	var offers []Offer[T]
	for _, r := range replies {
		var value T
		raw := r.field(f.Name)
		if raw == "" || raw == `""` || strictjson.Decode([]byte(raw), &value) != nil {
			continue
		}
		offers = append(offers, Offer[T]{From: r.from, Value: value})
		r.usesField(f.Name)
	}
	return offers
}
