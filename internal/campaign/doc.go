// Package campaign attacks the finished program: writers, kill -9, cuts, full
// disks, hostile plugins and model servers, terminal sequences, fuzzing, a leak
// watch. It has only tests; they start the real program in homes of their own
// and speak to loopback only.
//
// go test runs a few cases of each kind. .ci/campaign runs all of them, keeps
// its progress so that it can be stopped and continued, and writes the table of
// docs/RELIABILITY.md. A case depends on its number and the seed alone, so that
// one that failed can be run again.
package campaign
