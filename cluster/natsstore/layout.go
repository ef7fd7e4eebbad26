package natsstore

import (
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/store"
)

// uploadLen is the length of the name of an upload: hex digits.
const uploadLen = 32

// layout has the names of a home's streams and subjects.
type layout struct {
	home string
}

// docs is the stream with documents and leases: the bucket chibi_HOME.
func (l layout) docs() string { return "KV_chibi_" + l.home }

// logs is the stream with logs.
func (l layout) logs() string { return "chibi_" + l.home + "_log" }

// outs is the stream with large values.
func (l layout) outs() string { return "chibi_" + l.home + "_out" }

// streams lists the three streams.
func (l layout) streams() []string { return []string{l.docs(), l.logs(), l.outs()} }

func (l layout) docPrefix() string { return "$KV.chibi_" + l.home + "." }

func (l layout) doc(key string) string { return l.docPrefix() + key }

func (l layout) log(name string) string { return "chibi." + l.home + ".log." + name }

// out is what the subjects of a large value begin with, up to the name of the upload.
func (l layout) out(key string) string { return "chibi." + l.home + ".out." + key }

// inbox is what the subjects of answers begin with. It has the home in it, so that a user can
// be kept from reading the answers of other homes.
func (l layout) inbox() string { return "_INBOX.chibi_" + l.home }

// under is a filter for the documents whose key begins with a prefix, and perhaps others:
// filters know whole parts only.
func (l layout) under(prefix string) string {
	whole := prefix[:strings.LastIndexByte(prefix, '.')+1]
	return l.docPrefix() + whole + ">"
}

// Keys of documents that are not the caller's.
const (
	leasePrefix = "lease."
	blobPrefix  = "blob."
)

func checkDocKey(key string) error {
	if isReserved(key) {
		return fmt.Errorf("%q is not a key of a document: %s and %s are the engine's own", key, leasePrefix, blobPrefix)
	}
	return store.CheckKey(key)
}

func isReserved(key string) bool {
	return strings.HasPrefix(key, leasePrefix) || strings.HasPrefix(key, blobPrefix)
}

func isUpload(text string) bool {
	for _, c := range []byte(text) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return len(text) == uploadLen
}
