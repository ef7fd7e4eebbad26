package natsstore

import "github.com/chibi-host/chibi/store"

// Sent returns how many messages an engine has sent to the servers.
func Sent(e *store.Engine) uint64 { return e.Docs.(documents).nc.Stats().OutMsgs }
