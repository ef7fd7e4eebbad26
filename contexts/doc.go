// Package contexts keeps conversations on disk, in the format of the original
// chibi; docs/STORAGE.md describes it.
//
// What it promises:
//
//   - What [Context.Append] returned from survives a crash of the machine.
//   - The transcript is the truth. The window that the model is sent
//     (context.jsonl) is derived from it and rebuilt when it is behind.
//   - A torn or bad line is reported with its file, never dropped in silence.
//   - Names are checked wherever they enter; see [ValidName].
//   - Locks are the kernel's: a crashed process holds nothing.
//   - Nothing is written before something is to be kept: opening a store or a
//     context changes nothing.
//
// Several processes may use one home at once. A [Context] itself is not safe
// for concurrent use; whoever appends holds its lock.
package contexts
