package contexts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chibi-host/chibi/contexts/internal/parts"
	"github.com/chibi-host/chibi/contexts/internal/registry"
	"github.com/chibi-host/chibi/store"
)

// CopyOptions say how [Copy] copies.
type CopyOptions struct {
	// DryRun changes nothing: Copy reports what it would copy.
	DryRun bool
	// Outputs copies the tool outputs of a context, which is locked in the target unless this
	// is a dry run, and returns how many it copied; nil: outputs are left out.
	Outputs func(ctx context.Context, name string) (int, error)
	// LocalConfig returns an error for settings of a context that the target must not have.
	// They are left out, and the error is reported. Nil: all are copied.
	LocalConfig func(name, text string) error
	// Progress is called whenever some entries of a context were copied, and when it is done;
	// nil: nobody gets it.
	Progress func(Copied)
}

// Copied says how far the copy of a context is.
type Copied struct {
	Name string
	// Number counts the contexts from 1 to Of.
	Number, Of int
	// Entries, Mail and Outputs are how many were copied. Ones that existed are not counted.
	Entries, Mail, Outputs int
	// Done is true when the copy of the context has ended, because of Err if that is not nil.
	Done bool
	Err  error
}

// CopyError reports the contexts that were not copied, or not completely. The others were.
type CopyError struct {
	Failed []Copied
	// Of is how many contexts there are.
	Of int
}

// mostFailed bounds how many contexts the text of a CopyError names.
const mostFailed = 20

// Error names the contexts.
func (e *CopyError) Error() string {
	var names []string
	for _, f := range e.Failed[:min(len(e.Failed), mostFailed)] {
		names = append(names, fmt.Sprintf("%q", f.Name))
	}
	if more := len(e.Failed) - mostFailed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("%d of %d contexts were not copied completely: %s", len(e.Failed), e.Of, strings.Join(names, ", "))
}

// Unwrap returns why each was not copied.
func (e *CopyError) Unwrap() []error {
	var list []error
	for _, f := range e.Failed {
		list = append(list, f.Err)
	}
	return list
}

// DivergedError reports a context that was continued in the target of a copy.
type DivergedError struct{ Context string }

// Error says that nothing of the context was changed, and what to do.
func (e *DivergedError) Error() string {
	return fmt.Sprintf("context %q has other entries in the target; it is not changed there. To keep both, rename one of "+
		"them (chibi context rename) and copy again", e.Context)
}

// Copy copies the contexts of a store to another one: names with the times when they were made, were
// last used and expire, entries as they are stored, texts, mail, and the model's
// notes about itself. Which context is current is not copied, nor is anything removed from
// the target.
//
// Entries that the target has already are recognized by their ids, so you can repeat a copy that was
// interrupted, and a repeated copy adds the new entries. A context with other entries in the target is
// a [DivergedError]; Copy goes on with the next one, and returns a [CopyError] at the end. It ends at
// once if one of the stores no longer answers, or ctx ends.
//
// The source may be in use: Copy copies the state of a context at the time when it begins with it. Each
// context is locked in the target while it is written there. Memory does not depend on the
// length of transcripts.
func Copy(ctx context.Context, from, to *Store, o CopyOptions) error {
	c := &copying{from: from, to: to, CopyOptions: o}
	names, err := from.Names(ctx)
	if err != nil {
		return err
	}
	known, err := from.backend.State(ctx)
	if err != nil {
		return err
	}
	if err := c.reflection(ctx); err != nil {
		return err
	}
	err = c.contexts(ctx, names)
	if !o.DryRun && len(c.copied) > 0 {
		err = errors.Join(err, c.register(known))
	}
	if err == nil && len(c.failed) > 0 {
		err = &CopyError{Failed: c.failed, Of: len(names)}
	}
	return err
}

type copying struct {
	CopyOptions
	from, to *Store
	copied   []string // names of the contexts that are in the target now
	failed   []Copied
}

// contexts copies each context. The error is why it did not go on.
func (c *copying) contexts(ctx context.Context, names []string) error {
	for i, name := range names {
		one := newContextCopy(c, Copied{Name: name, Number: i + 1, Of: len(names)})
		err := one.run(ctx)
		if endsAll(ctx, err) {
			return err
		}
		var diverged *DivergedError
		if !errors.As(err, &diverged) {
			c.copied = append(c.copied, name)
		}
		if one.done.Done, one.done.Err = true, err; err != nil {
			c.failed = append(c.failed, one.done)
		}
		one.progress()
	}
	return nil
}

// endsAll reports whether an error would meet the next context too.
func endsAll(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrDenied))
}

// reflection copies the model's notes about itself.
func (c *copying) reflection(ctx context.Context) error {
	text, err := c.from.open(DefaultName).Texts.Prompt(ctx, parts.PromptReflection)
	if err != nil || text == "" || c.DryRun {
		return err
	}
	texts := c.to.open(DefaultName).Texts
	if there, err := texts.Prompt(ctx, parts.PromptReflection); err != nil || there == text {
		return err
	}
	return texts.SetPrompt(parts.PromptReflection, text)
}

// register records in the target what the source knows of the contexts that were copied.
func (c *copying) register(known *registry.File) error {
	isCopied := map[string]bool{}
	for _, name := range c.copied {
		isCopied[name] = true
	}
	var list []registry.Context
	for _, e := range known.Contexts {
		if isCopied[e.Name] {
			list = append(list, e)
		}
	}
	return c.to.backend.Describe(list)
}
