package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/cli/command"
	"github.com/chibi-host/chibi/internal/hookdoc"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// payloadOf returns the payload of a firing: the person's, or an example, with the
// fields of --set; and which of its fields the person set.
func payloadOf(ctx context.Context, env *command.Env, info hookpoints.Info,
	f fireFlags) (payload json.RawMessage, set []string, err error) {
	payload = hookdoc.Example(info)
	if f.data != nil {
		text, err := dataText(ctx, env, f.data[0])
		if err != nil {
			return nil, nil, err
		}
		if payload, err = oneLine(text); err != nil {
			return nil, nil, command.Usage("--data: %v", err)
		}
		for field := range gjson.ParseBytes(payload).Map() {
			set = append(set, field)
		}
	}
	for _, pair := range f.set {
		path, value, ok := strings.Cut(pair, "=")
		if !ok || path == "" {
			return nil, nil, command.Usage("--set %s: want FIELD=VALUE", pair)
		}
		field, _, _ := strings.Cut(path, ".")
		set = append(set, field)
		if strictjson.Valid([]byte(value)) {
			payload, err = sjson.SetRawBytes(payload, path, []byte(value))
		} else {
			payload, err = sjson.SetBytes(payload, path, value)
		}
		if err != nil {
			return nil, nil, command.Usage("--set %s: %v", pair, err)
		}
	}
	if payload, err = oneLine(payload); err != nil {
		return nil, nil, command.Usage("the payload: %v", err)
	}
	return payload, set, checkPayload(info, payload)
}

// maxPayload bounds the file of a payload.
const maxPayload = 16 << 20

// dataText returns the text that --data means: JSON, or the content of a file or of standard input.
func dataText(ctx context.Context, env *command.Env, data string) ([]byte, error) {
	if data == "-" {
		text, err := env.Input(ctx, "the payload")
		return []byte(text), err
	}
	if path, isFile := strings.CutPrefix(data, "@"); isFile {
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("reading the payload: %w", err)
		}
		defer file.Close()
		text, err := command.ReadAll(ctx, file, maxPayload)
		if err != nil {
			return nil, fmt.Errorf("reading the payload: %w", err)
		}
		return []byte(text), nil
	}
	return []byte(data), nil
}

// oneLine returns an object as one line of JSON.
func oneLine(text []byte) (json.RawMessage, error) {
	line, err := strictjson.Normalize(text)
	if err != nil {
		return nil, err
	}
	if line[0] != '{' {
		return nil, &strictjson.TypeError{Want: "an object", Value: strictjson.TypeOf(line)}
	}
	return line, nil
}

// checkPayload rejects fields that the point does not have, and fields of the wrong
// type.
func checkPayload(info hookpoints.Info, payload []byte) error {
	if err := strictjson.DecodeKnown(payload, reflect.New(info.Payload).Interface()); err != nil {
		return wrongPayload(info, err)
	}
	for _, f := range hookpoints.Fields(info.Payload) {
		if v := gjson.GetBytes(payload, gjson.Escape(f.Name)); f.Type == "object" && v.Exists() && !v.IsObject() {
			return wrongPayload(info, &strictjson.TypeError{Field: f.Name, Want: "an object",
				Value: strictjson.TypeOf([]byte(v.Raw))})
		}
	}
	return nil
}

func wrongPayload(info hookpoints.Info, err error) error {
	return command.Usage("the payload does not fit %s: %v (chibi hook show %s lists its fields)", info.Name, err,
		info.Name)
}
