package tools

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// The rules for arrays.

func elementsRule(m *ruleMaker) rule {
	first, rest := "prefixItems", "items"
	if _, isList := m.schema["items"].([]any); isList && m.draft == draft7 {
		first, rest = "items", "additionalItems"
	} else if m.draft == draft7 {
		first = ""
	}
	var prefix []*node
	if first != "" {
		prefix = m.list(first)
	}
	others := m.child(rest)
	if len(prefix) == 0 && others == nil {
		return nil
	}
	return onArrays(func(list []any, seen *evaluated) *finding {
		for i, v := range list {
			n := others
			if i < len(prefix) {
				n = prefix[i]
			} else if others == nil {
				break
			}
			if f := n.check(v, nil); f != nil {
				return f
			}
		}
		seen.before = max(seen.before, min(len(prefix), len(list)))
		seen.allElements = seen.allElements || others != nil
		return nil
	})
}

// onArrays makes a rule that other values satisfy.
func onArrays(check func(list []any, seen *evaluated) *finding) rule {
	return func(v any, seen *evaluated) *finding {
		if list, isList := v.([]any); isList {
			return check(list, seen)
		}
		return nil
	}
}

func containsRule(m *ruleMaker) rule {
	contains := m.child("contains")
	least, hasLeast := m.count("minContains")
	most, hasMost := m.count("maxContains")
	if contains == nil {
		return nil
	}
	return onArrays(func(list []any, seen *evaluated) *finding {
		n := 0
		for i, v := range list {
			if contains.check(v, nil) == nil {
				n++
				seen.element(i)
			}
		}
		switch {
		case n == 0 && (!hasLeast || least > 0):
			return found("contains: no item matches")
		case hasLeast && n < least:
			return found("minContains: contains validated %d items, less than %d", n, least)
		case hasMost && n > most:
			return found("maxContains: contains validated %d items, greater than %d", n, most)
		}
		return nil
	})
}

func arraySizeRule(m *ruleMaker) rule {
	least, hasLeast := m.count("minItems")
	most, hasMost := m.count("maxItems")
	if !hasLeast && !hasMost {
		return nil
	}
	return onArrays(func(list []any, _ *evaluated) *finding {
		switch {
		case hasLeast && len(list) < least:
			return found("minItems: array length %d is less than %d", len(list), least)
		case hasMost && len(list) > most:
			return found("maxItems: array length %d is greater than %d", len(list), most)
		}
		return nil
	})
}

func uniqueRule(m *ruleMaker) rule {
	unique, isSet := m.schema["uniqueItems"].(bool)
	if !isSet && m.schema["uniqueItems"] != nil {
		m.wrong("uniqueItems", "a boolean")
	}
	if !unique {
		return nil
	}
	return onArrays(func(list []any, _ *evaluated) *finding {
		first := map[string]int{}
		for i, v := range list {
			key := string(appendValue(nil, v))
			if j, isThere := first[key]; isThere {
				return found("uniqueItems: array items %d and %d are equal", j, i)
			}
			first[key] = i
		}
		return nil
	})
}

func unevaluatedElementsRule(m *ruleMaker) rule {
	others := m.child("unevaluatedItems")
	if others == nil {
		return nil
	}
	return onArrays(func(list []any, seen *evaluated) *finding {
		for i, v := range list {
			if seen.allElements || i < seen.before || seen.elements[i] {
				continue
			}
			if f := others.check(v, nil); f != nil {
				return f
			}
		}
		seen.allElements = true
		return nil
	})
}

// appendValue appends a value in a form that is the same for equal values only.
func appendValue(to []byte, v any) []byte {
	switch v := v.(type) {
	case bool:
		if v {
			return append(to, 't')
		}
		return append(to, 'f')
	case float64:
		return binary.BigEndian.AppendUint64(append(to, 'n'), math.Float64bits(v+0)) // -0 is 0
	case string:
		return append(binary.AppendUvarint(append(to, '"'), uint64(len(v))), v...)
	case []any:
		to = binary.AppendUvarint(append(to, '['), uint64(len(v)))
		for _, element := range v {
			to = appendValue(to, element)
		}
		return to
	case map[string]any:
		to = binary.AppendUvarint(append(to, '{'), uint64(len(v)))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			to = appendValue(appendValue(to, name), v[name])
		}
		return to
	}
	return append(to, '0') // null
}
