// Package merge combines the answers of several plugins into one and reports the effect of
// each. It implements every rule of combination, once:
//
//   - replace and patch rewrite the payload, each plugin starting from what the
//     previous one left; conflicts are recorded. A patch is a JSON merge patch (RFC
//     7396): objects are merged recursively, null deletes, any other value replaces.
//   - block: the first in plugin order wins. claim: the first claims the event.
//   - intersect and unite: lists of names; see [Filter].
//   - join and append: all values are kept, in plugin order.
//   - first: the first value that is not empty.
//
// An [Accumulator] combines the replies of one dispatch as they arrive, because at
// chain and claim points the next subscriber's payload depends on them; [Fold] does
// it for a complete list of replies. [Patch], [Set], [Diff], [Equal] and [At] work on
// single documents.
//
// All functions work on raw JSON: the order of keys, the notation of numbers and the white
// space of unchanged parts are kept. The package does no I/O, keeps no state between calls
// and never modifies its arguments; everything except the methods of one Accumulator is
// safe for concurrent use.
package merge

// Offer is what one plugin offers for one field.
type Offer[T any] struct {
	From  string // the plugin's name
	Value T
}

// Conflict is a value of one plugin that another one replaced.
type Conflict struct {
	// Path is a JSON Pointer (RFC 6901).
	Path string `json:"path"`
	// Winner is the plugin whose value stands.
	Winner string `json:"winner"`
	// Loser is the plugin whose value does not.
	Loser string `json:"loser"`
}
