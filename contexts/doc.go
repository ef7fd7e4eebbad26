// Package contexts keeps conversations: in files, in the format of the original
// chibi that docs/operating/STORAGE.md describes ([Open]), in a store that many machines share
// ([OpenShared]), or in memory ([NewMemory]). Package contexts/contexttest tests what
// every [Store] does.
//
// The rules that are the same wherever contexts are kept are here. The code that keeps them is
// below contexts/internal: homes and memory, which implement the interfaces of parts.
//
// What it promises:
//
//   - When Append, Send, Archive and Compact have returned, their effect survives a
//     crash of the machine; an interrupted call takes effect as a whole or not at
//     all. (In memory, nothing survives the process.)
//   - The transcript is authoritative. The window that is sent to the model is
//     derived from it.
//   - The cost of a turn does not grow with the transcript, which files keep in
//     partitions; see [Storage].
//   - A message to a context is delivered exactly once; see [Mailbox].
//   - A torn or invalid line is reported with file and line, never dropped
//     silently.
//   - Names are checked wherever they enter; see [ValidName].
//   - Locks on files are kernel locks: a crashed process holds none.
//   - Nothing is written until there is something to store: opening a store or a
//     context changes nothing.
//
// Several processes may use one home at once. A [Store] is safe for concurrent
// use once its fields are set. A [Context] is not; each goroutine opens its own.
package contexts
