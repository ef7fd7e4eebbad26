// Package plugin asks plugins. A [Host] holds plugins in order; [Fire] sends an event of a
// conversation to the subscribers of its hook point and combines their answers by the
// rules that package hookpoints defines.
//
// What it promises:
//
//   - Several plugins that change the same thing never silently overwrite each other:
//     answers are combined by the point's rules, and a change that another plugin
//     replaced is recorded in the [Record] of the dispatch.
//   - A plugin that fails (it crashes, hangs, writes too much, or its answer is not
//     valid) fails open: the failure is reported and the conversation continues. A
//     plugin whose OnFailure is [Block] fails closed.
//   - Processes are bounded in time and output and are ended with their
//     children; see package process.
//
// A program that embeds a host calls [Host.Close] before it gives the host up, because plugins
// may be at work that nobody waited for, see [Plugin].Async, or that took too long, see
// [Plugin].Timeout.
//
// The package knows no protocol: a plugin is whatever implements [Handler].
// Packages below this one (native, ...) find executables and talk to them through a Codec
// (package oneshot); an embedding program may use a Go function, see [HandlerFunc]. The
// package prints nothing; notices for a person go to Host.Notify, details for a developer
// to Host.Trace.
package plugin
