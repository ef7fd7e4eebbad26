package plugin

import "github.com/chibi-host/chibi/internal/strictjson"

// JSON returns a value as one line of JSON, without the newline. Unlike json.Marshal it
// does not escape "<", ">" and "&", so that scripts see what people typed. Errors come from package
// json.
func JSON(v any) ([]byte, error) { return strictjson.Encode(v) }

// Translate converts a point's payload to a payload of another protocol: it decodes an event's
// payload and encodes the result of to as a line of JSON, with the newline.
func Translate[P any](ev Event, to func(P) any) ([]byte, error) {
	var payload P
	if err := strictjson.Decode(ev.Payload, &payload); err != nil {
		return nil, err
	}
	line, err := JSON(to(payload))
	return append(line, '\n'), err
}
