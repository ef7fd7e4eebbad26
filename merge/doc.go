// Package merge makes one answer of many, and says what became of each. It holds
// every rule by which answers combine, once:
//
//   - replace and patch rewrite the payload, each plugin starting from what the
//     previous one left; what one lost to another is known. A patch is a JSON merge
//     patch (RFC 7396): objects merge deeply, null deletes, all else replaces.
//   - block: the first in plugin order wins. claim: the first claims the event.
//   - intersect and unite: lists of names; [Filter] says what they leave.
//   - join and append: everything is kept, in plugin order.
//   - first: the first value that is not empty.
//
// An [Accumulator] combines the replies of one dispatch as they arrive, because at
// chain and claim points the next subscriber's payload depends on them; [Fold] does
// so for replies that are all there. [Patch], [Set], [Diff], [Equal] and [At] work
// on single documents.
//
// Everything works on raw JSON: the order of keys, the spelling of numbers and the
// white space of what nobody changed survive. The package does no I/O, keeps no
// state between calls and never modifies its arguments; all of it is safe for
// concurrent use except the methods of one Accumulator.
package merge

// Offer is what one plugin offers for one field.
type Offer[T any] struct {
	From  string // the plugin's name
	Value T
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
