package tools_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/chibi-host/chibi/tools"
)

func TestArgumentsAreReadByTheirExactNames(t *testing.T) {
	for arguments, want := range map[string]string{
		``:                           "",
		`{}`:                         "",
		`{"path":"a"}`:               "",
		`{"Path":"a"}`:               `unknown argument "Path"`,
		`{"path":"a","pathh":"b"}`:   `unknown argument "pathh"`,
		`{"path":1}`:                 "path",
		`{"path":"a","path":"last"}`: "",
	} {
		var args struct {
			Path string `json:"path"`
		}
		err := tools.Call{Arguments: json.RawMessage(arguments)}.Decode(&args)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", arguments, err, want)
		}
		if strings.Contains(arguments, "last") && args.Path != "last" {
			t.Errorf("%s: the last duplicate counts, got %q", arguments, args.Path)
		}
	}
}

func TestAnErrorIsAResult(t *testing.T) {
	got := tools.ErrorResult(errors.New("there is no file a"))
	if !got.Failed || got.Told() != "Error: there is no file a" {
		t.Errorf("%+v", got)
	}
}
