package cmdline

// Kind is a kind of word that a flag takes.
type Kind int

// The kinds of words.
const (
	Text Kind = iota
	Number
	File
	Context
	NewContext // a context, existing or new
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
	Rest // all remaining words of the line: they are not for chibi
)

// Value is a word that a flag takes.
type Value struct {
	Word   string // as --help shows it, such as NAME
	Kind   Kind
	Member string // its name in the object of the flag's command of --json-config
	// Known lists the known words, for completion; nil: the kind determines them.
	Known func() []string
}
