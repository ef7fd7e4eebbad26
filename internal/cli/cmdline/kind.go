package cmdline

// Kind is what kind of word a flag takes.
type Kind int

// The kinds of words.
const (
	Text Kind = iota
	Number
	File
	Context
	NewContext // a context, or one that is to be made
	Tool
	PluginOrTool
	Thing // a text or a configuration key that can be shown
	Setting
	DebugKey
	Recipe
	Argument // NAME=VALUE
	Payload
	Plugin
	Point
	Rest // all words that are left on the line: they are not for chibi
)

// Value is a word that a flag takes.
type Value struct {
	Word   string // as --help shows it, such as NAME
	Kind   Kind
	Member string // its name in the object of the flag's command of --json-config
	// Known lists the words that are known, for completion; nil: the kind says what
	// they are.
	Known func() []string
}
