package tools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// inPlace are the keywords whose subschemas apply to the same value: a cycle
// through them would never end.
var inPlace = [...]string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}

// checkReferences refuses schemas whose references the validator would follow
// for ever, and those that it would have to look up elsewhere.
func checkReferences(schema json.RawMessage) error {
	var root any
	if err := json.Unmarshal(schema, &root); err != nil {
		return err
	}
	w := refWalker{root: root, open: map[string]bool{}, done: map[string]bool{}}
	return w.everywhere(root)
}

// refWalker follows references from the root of a schema.
type refWalker struct {
	root any
	open map[string]bool // references that are being followed
	done map[string]bool // references that are known to end
}

// everywhere starts from each subschema.
func (w refWalker) everywhere(node any) error {
	switch node := node.(type) {
	case map[string]any:
		if err := w.follow(node); err != nil {
			return err
		}
		for _, child := range node {
			if err := w.everywhere(child); err != nil {
				return err
			}
		}
	case []any:
		for _, child := range node {
			if err := w.everywhere(child); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow goes where the same value is checked again.
func (w refWalker) follow(node any) error {
	if list, ok := node.([]any); ok {
		for _, child := range list {
			if err := w.follow(child); err != nil {
				return err
			}
		}
		return nil
	}
	schema, ok := node.(map[string]any)
	if !ok {
		return nil
	}
	if _, dynamic := schema["$dynamicRef"]; dynamic {
		return fmt.Errorf("$dynamicRef is not supported")
	}
	if ref, ok := schema["$ref"].(string); ok {
		if err := w.reference(ref); err != nil {
			return err
		}
	}
	if dependent, ok := schema["dependentSchemas"].(map[string]any); ok {
		if err := w.follow(slices.Collect(maps.Values(dependent))); err != nil {
			return err
		}
	}
	for _, keyword := range inPlace {
		if err := w.follow(schema[keyword]); err != nil {
			return err
		}
	}
	return nil
}

// reference follows one $ref, which must lead into the same schema.
func (w refWalker) reference(ref string) error {
	if w.done[ref] {
		return nil
	}
	if w.open[ref] {
		return fmt.Errorf("its $ref %q refers to itself", ref)
	}
	w.open[ref] = true
	defer delete(w.open, ref)
	target, err := w.lookup(ref)
	if err != nil {
		return err
	}
	if err := w.follow(target); err != nil {
		return err
	}
	w.done[ref] = true
	return nil
}

// lookup finds the target of a reference such as "#/$defs/name".
func (w refWalker) lookup(ref string) (any, error) {
	path, local := strings.CutPrefix(ref, "#")
	if !local || path != "" && path[0] != '/' {
		return nil, fmt.Errorf("its $ref %q leads elsewhere; use #/$defs/NAME", ref)
	}
	node := w.root
	if path == "" {
		return node, nil
	}
	for _, part := range strings.Split(path[1:], "/") {
		key := strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		object, ok := node.(map[string]any)
		if !ok || object[key] == nil {
			return nil, fmt.Errorf("its $ref %q leads nowhere", ref)
		}
		node = object[key]
	}
	return node, nil
}
