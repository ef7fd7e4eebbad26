// Package hookpoints defines the points of a conversation at which chibi asks plugins: for
// each its name, when it fires, its payload, the answer, and how the answers of several
// plugins are combined.
//
// The package is data. It promises that names, fields and rules do not change (new fields
// may be added), and that everything else about hook points (the documentation, the JSON
// Schemas, the commands `chibi hook list` and `chibi hook show`, validation) is derived
// from it. It runs nothing and imports only chibi's JSON reader, for suggesting similar
// names.
//
// The points of the original chibi have its names and fields; post_turn and pre_stop are
// additions of this program. A program that embeds the host may define its
// own points with [Point], without registration.
package hookpoints

// The second run uses fielddoc_gen.go, which the first one writes.
//
//go:generate go run ../internal/agentdoc/cmd/docs -root ..
//go:generate go run ../internal/agentdoc/cmd/docs -root ..
