package cache

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Limits say what [Cleaner.Clean] removes.
type Limits struct {
	// MaxAge is how old an entry may be; 0: any age.
	MaxAge time.Duration
	// MaxBytes bounds the entries together; the oldest are removed first; 0: no
	// bound.
	MaxBytes int64
	// MinAge is how old an entry must be to be removed; 0: any age. A younger entry
	// may be about to be mentioned somewhere.
	MinAge time.Duration
	// Now is the time by which ages are counted; zero: the time of the store, or of this machine if
	// there is none.
	Now time.Time
	// Keep, if set, keeps entries that are still needed.
	Keep func(id string) bool
}

// expired returns the entries that exceed the limits. entries has the newest first; since says since
// when an entry is kept.
func (l Limits) expired(entries []Entry, since func(Entry) time.Time) (list []Entry) {
	var total int64
	for _, e := range entries {
		total += e.Bytes
		age := l.Now.Sub(since(e))
		tooOld := l.MaxAge > 0 && age > l.MaxAge
		tooMuch := l.MaxBytes > 0 && total > l.MaxBytes
		if !tooOld && !tooMuch || age < l.MinAge || l.Keep != nil && l.Keep(e.ID) {
			continue
		}
		total -= e.Bytes
		list = append(list, e)
	}
	return list
}

func sortByAge(list []Entry) {
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Timestamp, a.Timestamp), strings.Compare(a.ID, b.ID))
	})
}
