// Package contexts keeps conversations on disk, in the format of the original
// chibi; docs/STORAGE.md describes it.
//
// What it promises:
//
//   - What [Context.Append], [Context.Send], [Context.Archive] and
//     [Context.Compact] returned from survives a crash of the machine; what was
//     cut off is there as a whole or not at all.
//   - The transcript is the truth. The window that the model is sent
//     (context.jsonl) is derived from it and rebuilt when it is behind.
//   - What a turn costs does not grow with the transcript, which is kept in
//     partitions; see [Storage].
//   - A message to a context is delivered exactly once; see [Context.Mail].
//   - A torn or bad line is reported with file and line, never dropped in
//     silence.
//   - Names are checked wherever they enter; see [ValidName].
//   - Locks are the kernel's: a crashed process holds nothing.
//   - Nothing is written before something is to be kept: opening a store or a
//     context changes nothing.
//
// Several processes may use one home at once. A [Store] is safe for concurrent
// use once its fields are set. A [Context] is not; each goroutine opens its own.
// Whoever holds a conversation takes [Context.Lock], so that another's entries do
// not come in between; appending, reading and sending are safe without it.
package contexts
