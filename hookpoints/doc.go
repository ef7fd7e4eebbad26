// Package hookpoints is the list of moments of a conversation that plugins can
// see and shape: for each its name, when it fires, what it carries (payload),
// what may be answered, and how the answers of several plugins become one.
//
// The package is data. It promises that names, fields and rules stay as they
// are documented (new fields may be added), and that everything else that
// speaks of hook points - the documentation, the JSON Schemas, the commands
// `chibi hook list` and `chibi hook show`, validation - is made from here. It
// runs nothing and imports nothing of chibi's but the reader of JSON, which
// names the nearest known name.
//
// The 23 points of the original chibi have its names and fields; post_turn and
// pre_stop are this program's own. A program that embeds the host may define
// points of its own with [Point]; it needs no registration.
package hookpoints

//go:generate go run ../internal/hookdoc/cmd/hookdoc -root ..
//go:generate go run ../internal/hookdoc/cmd/hookdoc -root ..
