// Package natsstore keeps a store in NATS JetStream, for nats-server 2.11 and newer: a
// [store.Driver] for URLs such as nats://host:4222,host2:4222/HOME. docs/operating/CLUSTER.md,
// section "NATS", has the layout, the permissions and the configuration of the servers.
//
// What it keeps for a home:
//
//   - documents and leases: the bucket chibi_HOME, a stream that keeps the newest message of
//     each subject
//   - logs: the stream chibi_HOME_log, a subject for each log
//   - large values: the stream chibi_HOME_out, a subject for each piece of 256 KiB
//
// What must be current (documents, tails of logs, leases) is asked of the leader of a
// stream. What is read in bulk may be answered by a server that is behind: it is asked again
// until it has what the leader said.
//
// Every write says which message it comes after, and has an id. One that is not answered is
// repeated, and the message that was stored in that place tells whose it was.
package natsstore
