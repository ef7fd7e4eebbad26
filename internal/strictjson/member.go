package strictjson

import "github.com/tidwall/gjson"

// Member returns an object's member of exactly this name, of several the last one, which
// counts. Another value has none.
func Member(object gjson.Result, name string) (found gjson.Result) {
	if !object.IsObject() {
		return found
	}
	object.ForEach(func(key, value gjson.Result) bool {
		if key.Str == name {
			found = value
		}
		return true
	})
	return found
}
