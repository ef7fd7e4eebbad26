package transcript

import (
	"slices"
	"strings"
	"testing"
)

func TestNamesOfPartitions(t *testing.T) {
	for name, want := range map[string][]int64{
		"partitions/1-2.jsonl": {1, 2}, "partitions/01-20-3.jsonl": {1, 20, 3},
		"partitions/1-99999999999999999999.jsonl": {1, 1<<63 - 1},
		"partitions/1.jsonl":                      nil, "partitions/1-2-3-4.jsonl": nil, "partitions/1-2": nil,
		"1-2.jsonl":             nil,
		"partitions/-1-2.jsonl": nil, "partitions/1--2.jsonl": nil, "partitions/1-2-.jsonl": nil,
		"partitions/+1-2.jsonl": nil, "partitions/1-2.jsonl\n": nil, "partitions/1-٢.jsonl": nil, "": nil,
	} {
		if got, ok := partitionNumbers(name); !slices.Equal(got, want) || ok != (want != nil) {
			t.Errorf("%q: %v, %v; want %v", name, got, ok, want)
		}
	}
}

func TestPartitionsAreInTheOrderOfTheirTimes(t *testing.T) {
	var m manifest
	for name := range strings.FieldsSeq("9-10 other 9-10-2 1-9 another 10-11 1-2") {
		m.Partitions = append(m.Partitions, partition{File: "partitions/" + name + ".jsonl"})
	}
	m.sort()
	var got []string
	for _, p := range m.Partitions {
		got = append(got, strings.TrimSuffix(strings.TrimPrefix(p.File, "partitions/"), ".jsonl"))
	}
	if want := "other another 1-2 1-9 9-10 9-10-2 10-11"; strings.Join(got, " ") != want {
		t.Errorf("the order is %q, want %q", got, want)
	}
}
