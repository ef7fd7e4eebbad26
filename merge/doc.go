// Package merge combines the answers of several plugins into one and reports the effect of
// each. It implements every rule of combination, once; [hookpoints.Rule.Meaning] describes
// them. Rewrites of the payload start from what the previous plugin left, and conflicts
// between them are recorded.
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
