package cli

import "flag"

// String is the flag as help shows it.
func (f *setFlag) String() string { return "--" + f.Name }

// Apply registers the flag with the parser.
func (f *setFlag) Apply(set *flag.FlagSet) error {
	set.Func(f.Name, "", func(value string) error {
		*f.values = append(*f.values, value)
		return nil
	})
	return nil
}

// Names are the flag's names.
func (f *setFlag) Names() []string { return []string{f.Name} }

// IsSet says whether the flag was given.
func (f *setFlag) IsSet() bool { return len(*f.values) > 0 }
