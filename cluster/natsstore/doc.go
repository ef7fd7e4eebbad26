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
// The leader of a stream answers the reads that must be current (documents, tails of logs, leases). A server
// that is behind may answer reads in bulk: natsstore asks it again until it has what the leader said.
//
// Every write names the message that it comes after, and has an id. natsstore repeats a write without an
// answer; the id of the message in that place then tells whose write it was.
package natsstore
