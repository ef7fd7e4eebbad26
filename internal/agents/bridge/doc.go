// Package bridge lets chibi's plugins work inside other coding agents: what happens there is
// fired at chibi's points, and what plugins say becomes the agent's answer.
//
// [Event.Answer] is one event: the agent's JSON in, its answer out. What is written into
// settings files, and taken out of them again, is in install.go. What an agent calls things is
// known to package engine alone.
//
// It promises that the agent goes on whatever is wrong with chibi, unless an entry asks for the
// opposite or a required guard is missing, that nothing is approved that the person was not
// asked about, and that the answer comes before the agent's time limit.
package bridge
