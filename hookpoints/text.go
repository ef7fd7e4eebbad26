package hookpoints

// Text is a text of one plugin.
type Text struct {
	// Plugin is the plugin's name.
	Plugin string
	// Text is its text.
	Text string
}

// Halted says which plugin ended the turn, and with which message. The zero value means
// that none did.
type Halted struct {
	// Plugin is the plugin's name.
	Plugin string
	// Message is its message, or one that says that it halted the turn.
	Message string
}
