package trace

import (
	"encoding/json"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/plugin"
	"github.com/tidwall/gjson"
)

const (
	// maxOption bounds the value of one option, in bytes, and maxOptions how many are
	// kept of a patch that is too large to be kept as a whole.
	maxOption, maxOptions = 4 << 10, 200
	// leftOutMark replaces the value of a larger one.
	leftOutMark = "[left out]"
)

// optionsOf returns the options that a plugin set at pre_api_request, if its answer
// is too large to be kept.
func optionsOf(r *plugin.Record) json.RawMessage {
	if r.Point != hookpoints.PreAPIRequest.Name || len(r.Answer) <= maxPayload {
		return nil
	}
	options := map[string]json.RawMessage{}
	gjson.GetBytes(r.Answer, "request_body").ForEach(func(key, value gjson.Result) bool {
		switch name := key.String(); {
		case name == "messages" || name == "tools":
		case len(value.Raw) > maxOption:
			options[name] = json.RawMessage(`"` + leftOutMark + `"`)
		default:
			options[name] = json.RawMessage(value.Raw)
		}
		return len(options) < maxOptions
	})
	raw, err := plugin.JSON(options)
	if err != nil || len(raw) > maxPayload {
		return nil
	}
	return raw
}
