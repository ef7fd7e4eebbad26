package contexts

import "time"

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

func (s Storage) withDefaults() Storage {
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
