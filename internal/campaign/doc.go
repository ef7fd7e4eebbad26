// Package campaign tests the built program under attack: concurrent writers, kill -9, cuts,
// full disks, hostile plugins and model servers, terminal sequences, command lines, fuzzing, and a
// watch for leaks. It has only tests; they start the real program in scratch homes and use only
// the loopback network.
//
// go test runs a few cases of each kind. .ci/campaign runs all of them, saves its progress
// so that it can be stopped and continued, and writes the table of docs/internals/CAMPAIGN.md. A
// case depends only on its number and the seed, so that a failed one can be run again.
package campaign
