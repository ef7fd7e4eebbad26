// Package store says what a storage engine offers that keeps the contexts of many
// machines: small documents with revisions, logs that are only appended to, large
// immutable values, and leases. Package contexts and package cache keep conversations,
// mail and tool outputs in an [Engine]; package storetest tests what every engine does;
// its NewMemory is one in memory, for tests. The engines over NATS and PostgreSQL are in the module
// github.com/chibi-host/chibi/cluster, which the plain program does not contain.
//
// What an engine promises:
//
//   - What a call acknowledged survives the crash of any program, and of as many servers
//     as the engine's documentation says.
//   - A call that returns an error other than [ErrUnavailable] changed nothing. After
//     ErrUnavailable a write may have happened; the same call with the same id is safe.
//   - Reads are linearizable where they say so: they see every write that was
//     acknowledged before they began, by whichever machine.
//   - Errors are wrapped once, with the key or the log. Callers branch on ErrNotFound,
//     ErrConflict, ErrTooLarge, ErrUnavailable, ErrLost and [HeldError] only.
//   - A call whose context has ended returns ErrUnavailable joined with the context's error.
//   - The engine itself retries after ErrUnavailable, with growing pauses, until
//     [Options.Timeout] has passed or the call's context ends; callers do not retry it.
//   - An engine prints nothing.
//
// What it does not promise: an order between different logs or documents, and
// transactions over several of them.
//
// Bytes from an engine are foreign: anybody who may write the store can have written them.
// Engines bound it in size; callers check what they read before they use it.
//
// All of it is safe for concurrent use.
package store
