package native

import (
	"encoding/json"
	"slices"

	"github.com/chibi-host/chibi/hookpoints"
	"github.com/chibi-host/chibi/internal/strictjson"
	"github.com/chibi-host/chibi/plugin"
)

// newer returns an answer in the form for chibi 0.6 in the present one: at permission points "approved": false becomes
// "denied": true, with a note. "approved": true is dropped, because it allows as little as no
// answer.
func newer(ev plugin.Event, answer plugin.Answer) plugin.Answer {
	if !hookpoints.AsksPermission(ev.Point) || ev.Point == hookpoints.PrePermission.Name { // which chibi 0.6 has not
		return answer
	}
	var fields map[string]json.RawMessage
	if strictjson.Decode(strictjson.Trim(answer.Body), &fields) != nil {
		return answer
	}
	switch string(fields["approved"]) {
	case "false":
		fields["denied"] = json.RawMessage("true")
		answer.Notes = append(slices.Clip(answer.Notes),
			`"approved": false means a denial; write {"denied": true, "reason": "why"}`)
	case "true":
	default:
		return answer
	}
	delete(fields, "approved")
	answer.Body, _ = strictjson.Encode(fields)
	return answer
}
