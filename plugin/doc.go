// Package plugin asks plugins. A [Host] holds plugins in order; [Fire] takes a
// moment of a conversation to those that subscribed to it and combines what
// they answer by the rules that package hookpoints states.
//
// What it promises:
//
//   - Several plugins that shape the same thing never silently lose each
//     other's work: answers combine by the point's rules, and what one plugin
//     lost to another stands in the [Record] of the dispatch.
//   - A plugin that fails - it crashes, hangs, floods, answers nonsense - has no
//     opinion: the failure is reported and the conversation goes on. A plugin
//     whose OnFailure is [Block] asks for the opposite.
//   - Processes are bounded in time and output and are ended with their
//     children; see package process.
//
// The package knows no protocol: a plugin is whatever implements [Handler].
// Packages below this one (native, ...) find executables and speak to them
// through a [Codec]; an embedding program may use a Go function, see
// [HandlerFunc]. The package prints nothing; what a person should know goes to
// Host.Notify, what a developer wants to know to Host.Trace.
package plugin
