package question

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/internal/term"
)

const maxFields = 20

// Form is a question of a program to a person that is not a decision about a call.
type Form struct {
	// Who asks; Message is its question.
	Who, Message string
	// Schema is the JSON Schema of an object whose members the question asks for: texts, numbers,
	// booleans and choices.
	Schema []byte
}

// Fill shows a form and asks for its members one by one. filled is false if the person
// refused. Errors come from the schema, the end of ctx, and [permissions.ErrNobody] if the
// terminal is gone.
func Fill(ctx context.Context, t Terminal, f Form) (values map[string]any, filled bool, err error) {
	fields, err := fieldsOf(f.Schema)
	if err != nil {
		return nil, false, err
	}
	err = hold(ctx, t, func(d *dialog) (err error) {
		values, err = d.fill(f, fields)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return values, values != nil, nil
}

// fill asks whether the person answers at all, and then for each field; nil: they do not.
func (d *dialog) fill(f Form, fields []field) (map[string]any, error) {
	d.title(term.Visible(f.Who) + " asks you:")
	d.block(f.Message, plain, maxRows)
	for _, one := range fields {
		d.text("for")
		d.block(one.name, plain, maxSaid)
	}
	d.text("Your answers go there, so type no passwords and keys. y = answer; Enter = refuse")
	if err := d.send(); err != nil {
		return nil, err
	}
	d.Flush()
	line, err := d.line()
	if word := strings.ToLower(strings.TrimSpace(line)); err != nil || word != "y" && word != "yes" {
		return nil, err
	}
	values := map[string]any{}
	for _, one := range fields {
		value, err := d.field(one)
		if err != nil {
			return nil, err
		}
		if value != nil {
			values[one.name] = value
		}
	}
	return values, nil
}

func (d *dialog) field(f field) (any, error) {
	d.block(strings.TrimSpace(f.name+"\n"+f.Description), plain, maxRows)
	if choices := f.choices(); choices != nil {
		d.text("One of these:")
		d.block(strings.Join(choices, "\n"), plain, 0)
	}
	if !f.required {
		d.text("Enter leaves it out")
	}
	for {
		line, err := d.line()
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		if line == "" && !f.required {
			return nil, nil
		}
		value, err := f.value(line)
		if err == nil {
			return value, nil
		}
		d.text("That is not an answer: " + err.Error())
	}
}

type field struct {
	name     string
	required bool
	member
}

type member struct {
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	OneOf       []struct {
		Const string `json:"const"`
	} `json:"oneOf"`
}

func fieldsOf(schema []byte) (list []field, err error) {
	var form struct {
		Properties map[string]member `json:"properties"`
		Required   []string          `json:"required"`
	}
	if err := strictjson.Decode(schema, &form); err != nil {
		return nil, fmt.Errorf("the form of the question cannot be read: %w", err)
	}
	if len(form.Properties) > maxFields {
		return nil, fmt.Errorf("the question asks for %d things; %d are the most", len(form.Properties), maxFields)
	}
	for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
		f := field{name: name, required: slices.Contains(form.Required, name), member: form.Properties[name]}
		if !slices.Contains([]string{"string", "number", "integer", "boolean"}, f.Type) {
			return nil, fmt.Errorf("the question asks for %q of the type %q; texts, numbers, booleans and choices can be "+
				"asked for", name, f.Type)
		}
		list = append(list, f)
	}
	return list, nil
}

// choices lists the texts of which one is asked for; nil: there is no such list.
func (f field) choices() []string {
	list := f.Enum
	for _, one := range f.OneOf {
		list = append(list, one.Const)
	}
	return list
}

func (f field) value(typed string) (any, error) {
	switch choices := f.choices(); {
	case choices != nil && !slices.Contains(choices, typed):
		return nil, errors.New("it is not one of these")
	case f.Type == "integer":
		if n, err := strconv.ParseInt(typed, 10, 64); err == nil {
			return n, nil
		}
		return nil, errors.New("type a whole number")
	case f.Type == "number":
		if n, err := strconv.ParseFloat(typed, 64); err == nil && n-n == 0 { // finite
			return n, nil
		}
		return nil, errors.New("type a number")
	case f.Type == "boolean":
		switch strings.ToLower(typed) {
		case "y", "yes", "true":
			return true, nil
		case "n", "no", "false":
			return false, nil
		}
		return nil, errors.New("type yes or no")
	case typed == "":
		return nil, errors.New("it is required")
	}
	return typed, nil
}
