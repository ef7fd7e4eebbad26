package tools

import (
	"math"
	"regexp"
	"slices"
	"unicode/utf8"
)

// The rules for a value of any type, for numbers and for strings.

func refRule(m *ruleMaker) rule {
	ref, isSet := m.schema["$ref"].(string)
	if !isSet {
		if m.schema["$ref"] != nil {
			m.wrong("$ref", "a string")
		}
		return nil
	}
	target := m.nodes[ref[1:]]
	if m.draft == draft7 {
		return func(v any, _ *evaluated) *finding { return target.check(v, nil) }
	}
	return target.check
}

func typeRule(m *ruleMaker) rule {
	value, isSet := m.schema["type"]
	if !isSet {
		return nil
	}
	wanted := []string{}
	if name, isName := value.(string); isName {
		wanted = append(wanted, name)
	} else if wanted = m.names("type", value); len(wanted) == 0 {
		m.wrong("type", "a string or a list of strings")
		return nil
	}
	allowed, _ := typesNamed(value)
	return func(v any, _ *evaluated) *finding {
		if typeOf(v)&allowed != 0 {
			return nil
		}
		return &finding{say: func() string { return typeText(wanted, v) }}
	}
}

func enumRule(m *ruleMaker) rule {
	list, isList := m.schema["enum"].([]any)
	if !isList {
		if m.schema["enum"] != nil {
			m.wrong("enum", "a list")
		}
		return nil
	}
	return func(v any, _ *evaluated) *finding {
		if slices.ContainsFunc(list, func(allowed any) bool { return isEqual(allowed, v) }) {
			return nil
		}
		return &finding{say: func() string { return allowedText("must be one of ", list) }}
	}
}

func constRule(m *ruleMaker) rule {
	want, isSet := m.schema["const"]
	if !isSet {
		return nil
	}
	return func(v any, _ *evaluated) *finding {
		if isEqual(want, v) {
			return nil
		}
		return &finding{say: func() string { return allowedText("must be ", want) }}
	}
}

func numberRule(m *ruleMaker) rule {
	type bound struct {
		words string
		n     float64
		meets func(v, n float64) bool
	}
	var bounds []bound
	for _, b := range []struct {
		keyword string
		bound
	}{
		{"multipleOf", bound{"must be a multiple of ", 0, isMultiple}},
		{"minimum", bound{"must be at least ", 0, func(v, n float64) bool { return v >= n }}},
		{"maximum", bound{"must be at most ", 0, func(v, n float64) bool { return v <= n }}},
		{"exclusiveMinimum", bound{"must be more than ", 0, func(v, n float64) bool { return v > n }}},
		{"exclusiveMaximum", bound{"must be less than ", 0, func(v, n float64) bool { return v < n }}},
	} {
		if n, isSet := m.number(b.keyword); isSet {
			b.n = n
			bounds = append(bounds, b.bound)
		}
	}
	if len(bounds) == 0 {
		return nil
	}
	return func(v any, _ *evaluated) *finding {
		n, isNumber := v.(float64)
		for _, b := range bounds {
			if isNumber && !b.meets(n, b.n) {
				return &finding{say: func() string { return numberText(b.words, b.n) }}
			}
		}
		return nil
	}
}

func isMultiple(v, n float64) bool {
	_, rest := math.Modf(v / n)
	return rest == 0
}

func stringRule(m *ruleMaker) rule {
	least, hasLeast := m.count("minLength")
	most, hasMost := m.count("maxLength")
	var pattern *regexp.Regexp
	if text, ok := m.schema["pattern"].(string); ok {
		pattern = m.compiled(text)
	} else if m.schema["pattern"] != nil {
		m.wrong("pattern", "a string")
	}
	if !hasLeast && !hasMost && pattern == nil {
		return nil
	}
	return func(v any, _ *evaluated) *finding {
		text, isText := v.(string)
		if !isText {
			return nil
		}
		switch n := utf8.RuneCountInString(text); {
		case hasLeast && n < least:
			return found("minLength: %q contains %d Unicode code points, fewer than %d", text, n, least)
		case hasMost && n > most:
			return found("maxLength: %q contains %d Unicode code points, more than %d", text, n, most)
		case pattern != nil && !pattern.MatchString(text):
			return found("pattern: %q does not match regular expression %q", text, pattern)
		}
		return nil
	}
}

func allOfRule(m *ruleMaker) rule {
	all := m.list("allOf")
	if len(all) == 0 {
		return nil
	}
	return func(v any, seen *evaluated) *finding {
		for _, n := range all {
			if f := n.check(v, seen); f != nil {
				return f
			}
		}
		return nil
	}
}

func anyOfRule(m *ruleMaker) rule {
	either := m.list("anyOf")
	if len(either) == 0 {
		return nil
	}
	return func(v any, seen *evaluated) *finding {
		var findings []*finding
		for _, n := range either { // all of them, as each adds to what is evaluated
			if f := n.check(v, seen); f != nil {
				findings = append(findings, f)
			}
		}
		if len(findings) < len(either) {
			return nil
		}
		return &finding{say: func() string { return noneText("anyOf", findings) }}
	}
}

func oneOfRule(m *ruleMaker) rule {
	either := m.list("oneOf")
	if len(either) == 0 {
		return nil
	}
	return func(v any, seen *evaluated) *finding {
		matches := 0
		for _, n := range either {
			if n.check(v, seen) != nil {
				continue
			}
			if matches++; matches > 1 {
				return found("matches more than one of the schemas of oneOf")
			}
		}
		if matches == 0 {
			return found("matches none of the schemas of oneOf")
		}
		return nil
	}
}

func notRule(m *ruleMaker) rule {
	not := m.child("not")
	if not == nil {
		return nil
	}
	return func(v any, _ *evaluated) *finding {
		if not.check(v, nil) == nil {
			return found(matchesNot)
		}
		return nil
	}
}

func ifRule(m *ruleMaker) rule {
	condition, then, otherwise := m.child("if"), m.child("then"), m.child("else")
	if condition == nil {
		return nil
	}
	return func(v any, seen *evaluated) *finding {
		next := then
		if condition.check(v, seen) != nil {
			next = otherwise
		}
		if next == nil {
			return nil
		}
		return next.check(v, seen)
	}
}

func isEqual(a, b any) bool { return string(appendValue(nil, a)) == string(appendValue(nil, b)) }
