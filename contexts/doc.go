// Package contexts keeps conversations: in files, in the format of the original
// chibi that docs/STORAGE.md describes ([Open]), or in memory ([NewMemory]). What
// the parts of a context do is said at the interfaces that [Context] and [Home]
// are made of; package contexts/contexttest holds what every store does.
//
// What it promises:
//
//   - What Append, Send, Archive and Compact returned from survives a crash of the
//     machine; what was cut off is there as a whole or not at all. (In memory,
//     nothing survives the process.)
//   - The transcript is the truth. The window that the model is sent is derived
//     from it.
//   - What a turn costs does not grow with the transcript, which files keep in
//     partitions; see [Storage].
//   - A message to a context is delivered exactly once; see [Mailbox].
//   - A torn or bad line is reported with file and line, never dropped in
//     silence.
//   - Names are checked wherever they enter; see [ValidName].
//   - Locks on files are the kernel's: a crashed process holds nothing.
//   - Nothing is written before something is to be kept: opening a store or a
//     context changes nothing.
//
// Several processes may use one home at once. A [Store] is safe for concurrent
// use once its fields are set. A [Context] is not; each goroutine opens its own.
package contexts
