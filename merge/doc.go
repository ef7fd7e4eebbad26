// Package merge makes one answer of many. Each rule is a pure function that
// says who contributed what:
//
//   - [Patch]: a JSON merge patch (RFC 7396): objects merge deeply, null
//     deletes, all else replaces.
//   - [Chain]: rewrites chain; each plugin starts from what the previous one
//     left, and what one lost to another is known.
//   - [Filter]: include lists intersect, exclude lists unite, exclude beats
//     include.
//   - [Join] and [Append]: everything is kept, in plugin order.
//
// The functions work on raw JSON: the order of keys, the spelling of numbers
// and the white space of what nobody touched survive. They do no I/O, keep no
// state and never modify their arguments; all are safe for concurrent use
// except the methods of one Chain.
package merge

// Offer is what one plugin offers for one field.
type Offer[T any] struct {
	From  string // the plugin's name
	Value T
}

// Change says that a plugin set or deleted the value at a path.
type Change struct {
	// Path is a JSON Pointer (RFC 6901).
	Path string `json:"path"`
	// From is the plugin's name.
	From string `json:"from"`
}

// Conflict says that one plugin's value was replaced by another one's.
type Conflict struct {
	// Path is a JSON Pointer (RFC 6901).
	Path string `json:"path"`
	// Winner is the plugin whose value stands.
	Winner string `json:"winner"`
	// Loser is the plugin whose value does not.
	Loser string `json:"loser"`
}
