package parts

import "fmt"

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
