package plugin

import "github.com/chibi-host/chibi/internal/strictjson"

// JSON writes a value as one line of JSON, without the newline. Unlike
// json.Marshal it leaves "<", ">" and "&" as they are, so that scripts see what
// people typed. Errors are those of package json.
func JSON(v any) ([]byte, error) { return strictjson.Encode(v) }

// Translate makes another protocol's payload of a point's: it decodes an event's
// payload and writes what to makes of it as a line of JSON, with the newline.
func Translate[P any](ev Event, to func(P) any) ([]byte, error) {
	var payload P
	if err := strictjson.Decode(ev.Payload, &payload); err != nil {
		return nil, err
	}
	line, err := JSON(to(payload))
	return append(line, '\n'), err
}
