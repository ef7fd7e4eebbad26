package parts

import (
	"fmt"
	"time"
)

// Settings are what the user of a [Store] says about it.
type Settings struct {
	// Report receives sentences about damage that was found and what was done about
	// it. Nil drops them.
	Report func(text string)
	// Storage says when a transcript starts a new partition. Set it before the
	// first use.
	Storage Storage
	// Limits bound notes and messages. Set them before the first use.
	Limits Limits
	// Program is the program's version. In a store that many machines share, entries say
	// which program wrote them. Set it before the first use.
	Program string
	// Now is the clock, for tests. Set it before the first use.
	Now func() time.Time
}

// Reporter returns what reports to the user of a store.
func Reporter(s *Settings) func(format string, args ...any) {
	return func(format string, args ...any) { Report(s, format, args...) }
}

// Report reports to the user of a store.
func Report(s *Settings, format string, args ...any) {
	if s.Report != nil {
		s.Report(fmt.Sprintf(format, args...))
	}
}

// The defaults of [Storage].
const (
	DefaultMaxEntries    = 1000
	DefaultMaxTokens     = 100_000
	DefaultMaxAge        = 30 * 24 * time.Hour
	DefaultBytesPerToken = 3
)

// Storage has the bounds at which the active part of a transcript becomes a
// partition, when one of them is reached. A field of 0 means its default.
type Storage struct {
	// MaxEntries bounds the entries; default 1000.
	MaxEntries int
	// MaxTokens bounds the estimated tokens of their contents; default 100,000.
	MaxTokens int
	// MaxAge bounds the age of the oldest entry; default 30 days.
	MaxAge time.Duration
	// BytesPerToken is the estimate; default 3.
	BytesPerToken int
}

func (s Storage) WithDefaults() Storage {
	return Storage{
		MaxEntries: orDefault(s.MaxEntries, DefaultMaxEntries), MaxTokens: orDefault(s.MaxTokens, DefaultMaxTokens),
		MaxAge: orDefault(s.MaxAge, DefaultMaxAge), BytesPerToken: orDefault(s.BytesPerToken, DefaultBytesPerToken),
	}
}

func orDefault[T int | time.Duration](set, fallback T) T {
	if set > 0 {
		return set
	}
	return fallback
}

// IsDayOld reports whether a day has passed since a time. A clock that was set back does
// not delay what is done daily.
func IsDayOld(last, now time.Time) bool {
	age := now.Sub(last)
	return age < 0 || age >= 24*time.Hour
}
