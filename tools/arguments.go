package tools

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/chibi-host/chibi/internal/strictjson"
)

// Decode reads the arguments into a struct; none are an empty object. Names are matched
// exactly and unknown ones are an error, so that a guard that examines "path" has seen the
// path that the tool uses. It does not check the arguments against a schema: see
// [Schema.Check].
func (c Call) Decode(into any) error {
	arguments := c.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	err := strictjson.DecodeKnown(arguments, into)
	if unknown, ok := errors.AsType[*strictjson.UnknownError](err); ok {
		return errors.New(unknown.Called("argument"))
	}
	return err
}

// ErrorResult is the result of a call that failed with an error, for the model.
func ErrorResult(err error) Result { return Result{Text: "Error: " + err.Error(), Failed: true} }

// TextResult is the result of a call that ended with a text or an error. If ctx has ended, that
// is the error of the call.
func TextResult(ctx context.Context, text string, err error) (Result, error) {
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case err != nil:
		return ErrorResult(err), nil
	}
	return Result{Text: text}, nil
}
