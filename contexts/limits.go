package contexts

import "fmt"

// MaxText bounds a text of a context, such as its system prompt or its todos, in
// bytes.
const MaxText = 4 << 20

// Other bounds of what is read at once, in bytes.
const (
	// maxHolder bounds the content of a lock file, and of .tidied.
	maxHolder = 4 << 10
	// maxLegacy bounds the whole conversation that the original's first versions
	// kept in one file.
	maxLegacy = 16 << 20
)

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

func (l Limits) withDefaults() Limits {
	return Limits{Note: orDefault(l.Note, DefaultNote), Message: orDefault(l.Message, DefaultMessage),
		Inbox: orDefault(l.Inbox, DefaultInbox)}
}

// maxInbox bounds an inbox; sending more is an error.
const maxInbox = 16 << 20

// checkMessage rejects a message that is too large to be sent.
func checkMessage(l Limits, text string) error {
	if most := l.withDefaults().Message; len(text) > most {
		return fmt.Errorf("the message has %d bytes, and at most %d are sent (limits.message_bytes); make it shorter, or "+
			"name a file that holds it", len(text), most)
	}
	return nil
}

// checkRoom rejects a message of so many bytes if it does not fit into the inbox.
func checkRoom(name string, held, more int64) error {
	if held > 0 && held+more > maxInbox {
		return fmt.Errorf("its inbox is full, %d bytes wait there; let it read them first (chibi -B %s)", held, name)
	}
	return nil
}

// checkText rejects a text that could not be read again.
func checkText(text string) error {
	if len(text) > MaxText {
		return fmt.Errorf("the text has %d bytes; at most %d are kept", len(text), MaxText)
	}
	return nil
}
