package trace

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chibi-host/chibi/agent"
	"github.com/chibi-host/chibi/internal/trace"
)

func TestATurnIsCountedFromTheFirstOrFromTheLast(t *testing.T) {
	turns := []trace.Turn{{Number: 1}, {Number: 2}, {Number: 3}}
	for n, want := range map[int]int{1: 1, 3: 3, -1: 3, -3: 1, 0: 0, 4: 0, -4: 0} {
		turn, err := turnAt(turns, n)
		if turn.Number != want || (err == nil) != (want > 0) {
			t.Errorf("turn %d is %d, %v; want %d", n, turn.Number, err, want)
		}
	}
}

func TestAQuestionAboutNothingOfTheTurnIsAnError(t *testing.T) {
	turn := trace.Turn{Number: 1, Context: "work"}
	for _, about := range []string{"", "turn 1", "1", "-1"} {
		answers, err := answer([]trace.Turn{turn}, &turn, about)
		if err != nil || len(answers) != 1 || answers[0].Kind != trace.KindTurn {
			t.Errorf("about %q: %v, %v; want the whole turn", about, answers, err)
		}
	}
	if _, err := answer([]trace.Turn{turn}, &turn, "7"); err == nil || errors.As(err, new(*unknownError)) {
		t.Errorf("about a turn that there is not: %v", err)
	}
	if _, err := answer([]trace.Turn{turn}, &turn, "nonsense"); !errors.As(err, new(*unknownError)) {
		t.Errorf("about nonsense: %v", err)
	}
}

// TestAFollowedTurnIsPrintedOnceItIsOver has a file that grows.
func TestAFollowedTurnIsPrintedOnceItIsOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	add := func(turn int, kind agent.EventKind) {
		t.Helper()
		line, err := json.Marshal(trace.Line{Run: "r", Turn: turn, Step: &agent.Event{Kind: kind}})
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	}
	var printed []int
	f := following{path: path, shown: 1, print: func(turn trace.Turn) { printed = append(printed, turn.Number) }}
	expect := func(want ...int) {
		t.Helper()
		if f.poll(); !slices.Equal(printed, want) {
			t.Errorf("printed %v, want %v", printed, want)
		}
	}
	expect()
	add(1, agent.EventPrompt)
	add(1, agent.EventAnswer)
	expect()
	add(2, agent.EventPrompt)
	expect()
	add(2, agent.EventAnswer)
	add(3, agent.EventPrompt)
	expect(2)
	add(3, agent.EventError)
	expect(2, 3)
	expect(2, 3)
}
