package config

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/chibi-host/chibi/llm"
)

// Sources say where the configuration comes from.
type Sources struct {
	// Home is the home directory of chibi.
	Home string
	// Global is the home's config.toml if it was read before; nil: it is read.
	Global *Global
	// Local is the configuration of one context.
	Local Local
	// Within are what [Holding] returned for the run around a command of a model; flags take
	// precedence over them.
	Within []string
	// Set are KEY=VALUE pairs from flags, which take precedence over all files.
	Set []string
	// Allow and Deny are permission rules from flags.
	Allow, Deny []string
	// Env looks up environment variables, as os.Getenv.
	Env func(string) string
}

// Local is the local.toml of a context. The zero value is for a context without one.
type Local struct {
	// Name says in errors where the text is: the path of a file, for instance.
	Name string
	// Text is at most [MaxFileBytes] long, [MaxSharedBytes] if it is shared.
	Text string
	// IsShared says that it comes from a store that machines share: only keys that are marked
	// as such count, and others are errors.
	IsShared bool
}

// Check returns what is wrong with the text, if anything.
func (l Local) Check() error {
	s, err := l.source()
	if err != nil {
		return err
	}
	return s.valid()
}

func (l Local) source() (source, error) {
	if l.Text == "" {
		return source{}, nil
	}
	if l.IsShared {
		if err := checkShared(l.Name, l.Text); err != nil {
			return source{}, err
		}
	}
	s, err := newSource(l.Name, []byte(l.Text))
	s.isLocal, s.isShared = true, l.IsShared
	return s, err
}

// Home returns the home directory of chibi: the flag's value, $CHIBI_HOME, or ~/.chibi.
func Home(flag string, env func(string) string) (string, error) {
	if home := cmp.Or(flag, env("CHIBI_HOME")); home != "" {
		return filepath.Abs(home)
	}
	user, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no home directory: set HOME or CHIBI_HOME, or use --home DIR")
	}
	return filepath.Join(user, ".chibi"), nil
}

// Load reads all sources. They take precedence in this order: Set, local.toml,
// models.toml for the model that results, config.toml, defaults. A missing file is not
// an error.
func Load(src Sources) (Config, error) {
	global, above, err := src.read()
	if err != nil {
		return Config{}, err
	}
	models, err := readSource(filepath.Join(src.Home, "models.toml"))
	if err != nil {
		return Config{}, err
	}
	known := fields{}
	c, err := known.layered(append([]source{global}, above...)...)
	if err == nil && models.tree != nil { // it has less precedence than the sources that choose the model
		c, err = known.layeredWithModel(global, models, c.Model, above)
	}
	if err != nil {
		return Config{}, err
	}
	if src.Local.IsShared {
		if err := c.requireGuards(above[0]); err != nil {
			return Config{}, err
		}
	}
	c.resolve(src.Env)
	return c, nil
}

// read reads all sources except models.toml: config.toml, and those with more
// precedence, in their order.
func (src Sources) read() (global source, above []source, err error) {
	if src.Global == nil {
		read, err := ReadGlobal(src.Home)
		if err != nil {
			return global, nil, err
		}
		src.Global = &read
	}
	global = src.Global.source
	local, err := src.Local.source()
	if err != nil {
		return global, nil, err
	}
	above = []source{local}
	for _, text := range src.Within {
		s, err := newSource("the run around this command", []byte(text))
		if err != nil {
			return global, nil, err
		}
		s.isFlag = true // it has no lines that the person knows
		above = append(above, s)
	}
	flags, err := src.flags()
	return global, append(above, flags...), err
}

func (src Sources) flags() (list []source, err error) {
	add := func(flag source, wrong error) {
		if list = append(list, flag); err == nil {
			err = wrong
		}
	}
	for _, pair := range src.Set {
		add(flagSource(pair))
	}
	for _, rule := range src.Allow {
		add(ruleSource("allow", rule))
	}
	for _, rule := range src.Deny {
		add(ruleSource("deny", rule))
	}
	return list, err
}

// layered applies sources to the defaults, one after the other.
func (f fields) layered(sources ...source) (c Config, err error) {
	c.setDefaults()
	return c, f.apply(&c, sources...)
}

// layeredWithModel applies the settings of a model from models.toml between config.toml
// and the other sources.
func (f fields) layeredWithModel(global, models source, model string, above []source) (Config, error) {
	c, err := f.layered(global)
	if err != nil {
		return c, err
	}
	if err := f.applyModel(&c, models, model); err != nil {
		return c, err
	}
	err = f.apply(&c, above...)
	return c, err
}

// apply applies sources to a configuration, one after the other.
func (f fields) apply(c *Config, sources ...source) error {
	for _, s := range sources {
		before := c.API.Reasoning
		if err := s.decode(f, c); err != nil {
			return err
		}
		c.API.Reasoning.settle(before)
	}
	return nil
}

// modelsFile is models.toml. A model has the keys of a configuration that are tagged
// with model.
type modelsFile struct {
	Models map[string]Config `toml:"models" name:"MODEL" keys:"model"`
}

// applyModel applies the settings of a model from models.toml to a configuration; "" is
// no model.
func (f fields) applyModel(c *Config, models source, name string) error {
	file := modelsFile{Models: map[string]Config{name: *c}}
	if err := models.decode(f, &file); err != nil || name == "" {
		return err
	}
	before := c.API.Reasoning
	*c = file.Models[name]
	c.API.Reasoning.settle(before)
	return nil
}

// settle keeps one of effort and max_tokens after a source was applied: the one that
// this source has set.
func (r *Reasoning) settle(before Reasoning) {
	switch {
	case r.Effort != before.Effort:
		r.MaxTokens = nil
	case r.MaxTokens != before.MaxTokens:
		r.Effort = nil
	}
}

// DefaultBaseURL is where requests go if nothing is configured.
const DefaultBaseURL = "https://openrouter.ai/api/v1/chat/completions"

// resolve sets what depends on other keys and on the environment.
func (c *Config) resolve(env func(string) string) {
	c.ContextWindowLimit = cmp.Or(c.ContextWindowLimit, llm.ContextWindow(c.Model))
	if c.BaseURLSet = c.BaseURL != ""; !c.BaseURLSet {
		c.BaseURL = DefaultBaseURL
	}
	if address, err := url.Parse(c.BaseURL); err == nil && c.APIKey == "" {
		c.APIKey = keyFromEnvironment(address.Hostname(), env)
	}
}

// keyFromEnvironment returns the key for a server from chibi's own variable, else from
// the provider's.
func keyFromEnvironment(host string, env func(string) string) string {
	for _, name := range KeyVariables(host) {
		if key := env(name); key != "" {
			return key
		}
	}
	return ""
}

// KeyVariables lists the variables that may hold the key for a server: chibi's own,
// then the provider's.
func KeyVariables(host string) []string {
	names := []string{"CHIBI_API_KEY"}
	switch host {
	case "openrouter.ai":
		names = append(names, "OPENROUTER_API_KEY")
	case "api.openai.com":
		names = append(names, "OPENAI_API_KEY")
	}
	return names
}
