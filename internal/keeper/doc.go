// Package keeper holds processes of resident plugins between runs.
//
// A keeper is a process of its own, one for a home, that starts such processes for runs and
// keeps them when the runs end. A run reaches it by a socket: [Client] is the run's side,
// [Serve] the keeper's. What is kept never crosses users, homes, working directories, or
// environments that a plugin depends on: see [Key].
//
// Nothing depends on a keeper: a run that cannot reach it, or gets no answer in time, starts
// its plugins itself. [resident.Resident] decides, as for every process, whether to repeat a
// question that may have reached one when the keeper is lost.
//
// # Protocol
//
// Each side first checks that the other one belongs to the same user. The client writes one
// line of JSON, a [Request], and reads one, a [Reply]. If that lends a process, frames follow
// in both directions until one side closes the connection: a letter, the length of what
// follows as four bytes with the highest one first, and at most 64 KiB.
//
//	I  client  for standard input of the process; 64 KiB that were not acknowledged at most
//	A  keeper  acknowledges: how many bytes were written there, as four bytes
//	O  keeper  from standard output
//	D  keeper  standard output has ended
//	E  keeper  from standard error
//	X  keeper  the process has ended: {"exit": 0, "signal": ""}
//	C  client  close standard input, and end the process if it does not end
//	K  client  end the process with its group
//	R  client  take the process back if it wrote so many bytes to standard output, as eight bytes
//
// A connection that closes without R ends the process, because nobody knows what it is doing,
// unless nothing was written to it. Everything that is not such a frame ends it too.
package keeper
