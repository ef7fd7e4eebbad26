package parts

import (
	"fmt"
	"time"
)

// MaxText bounds a text of a context, such as its system prompt or its todos, in
// bytes.
const MaxText = 4 << 20

// Limits bound texts that a model or another program writes, in bytes. A field of 0
// means its default.
type Limits struct {
	// Note bounds each of the todos, the goals and the reflection; default 256 KiB.
	Note int
	// Message bounds a message to another context; default 256 KiB.
	Message int
	// Inbox bounds the messages that one prompt delivers; default 1 MiB. The others
	// follow with the next prompts.
	Inbox int
}

// The defaults of [Limits], in bytes.
const (
	DefaultNote    = 256 << 10
	DefaultMessage = 256 << 10
	DefaultInbox   = 1 << 20
)

// WithDefaults returns the bounds with the defaults of those that are 0.
func (l Limits) WithDefaults() Limits {
	return Limits{Note: orDefault(l.Note, DefaultNote), Message: orDefault(l.Message, DefaultMessage),
		Inbox: orDefault(l.Inbox, DefaultInbox)}
}

// MaxInbox bounds an inbox; sending more is an error.
const MaxInbox = 16 << 20

// CheckMessage rejects a message that is too large to be sent.
func CheckMessage(l Limits, text string) error {
	if most := l.WithDefaults().Message; len(text) > most {
		return fmt.Errorf("the message has %d bytes, and at most %d are sent (limits.message_bytes); make it shorter, or "+
			"name a file that holds it", len(text), most)
	}
	return nil
}

// CheckRoom rejects a message of so many bytes if it does not fit into the inbox.
func CheckRoom(name string, held, more int64) error {
	if held > 0 && held+more > MaxInbox {
		return fmt.Errorf("its inbox is full, %d bytes wait there; let it read them first (chibi -B %s)", held, name)
	}
	return nil
}

// CheckText rejects a text that could not be read again.
func CheckText(text string) error {
	if len(text) > MaxText {
		return fmt.Errorf("the text has %d bytes; at most %d are kept", len(text), MaxText)
	}
	return nil
}

// Settings are the settings of a [Store].
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
	// Demo is true if the built-in demo model answers: entries and summaries say so.
	Demo bool
	// Now is the clock, for tests. Set it before the first use.
	Now func() time.Time
}

// Reporter returns the function that reports to the user of a store.
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

// WithDefaults returns the bounds with the defaults of those that are 0.
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

// IsDayOld reports whether a day has passed since a time. A clock that was set back does not delay daily work.
func IsDayOld(last, now time.Time) bool {
	age := now.Sub(last)
	return age < 0 || age >= 24*time.Hour
}
