package coding

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// automaton finds lines in which a pattern may match, many times faster than the regular
// expression, which then decides. It errs on one side only: assertions such as ^ and \b
// count as fulfilled, and a byte of a character beyond ASCII as any of its characters. It
// makes its states when they are needed; it is used by one goroutine.
type automaton struct {
	program *syntax.Prog
	sets    [][]uint32        // the instructions of each state that take a character
	known   map[string]uint16 // states by that
	next    []uint16          // 256 for each state: what follows a byte
}

// The first states.
const (
	stateUnknown = iota // it was not made yet
	stateMatched        // the line may match
	stateStart          // the beginning of a line
)

// maxStates bounds the states, of 512 bytes each and a little more. When they are used up, all
// are made again.
const maxStates = 1000

// newAutomaton makes an automaton for a pattern that was read.
func newAutomaton(pattern *syntax.Regexp) *automaton {
	program, err := syntax.Compile(pattern)
	if err != nil {
		return nil
	}
	a := &automaton{program: program}
	a.reset()
	return a
}

// reset forgets all states but the first ones.
func (a *automaton) reset() {
	a.known = map[string]uint16{}
	a.sets = [][]uint32{nil, nil}
	a.next = make([]uint16, 2*256, 64*256)
	a.state(&marks{}) // the start, which every set has in it
}

// candidate returns a place in the first line at or behind a place that may match; the
// length of the data: there is none. The place is the beginning of a line.
func (a *automaton) candidate(data []byte, at int) int {
	state := uint16(stateStart)
	if a.sets[stateStart] == nil {
		return at // it matches the empty line
	}
	next := a.next
	for i := at; i < len(data); i++ {
		following := next[int(state)<<8|int(data[i])]
		if following <= stateMatched {
			if following == stateUnknown {
				following = a.follow(state, data[i])
				next = a.next // which may have grown
			}
			if following == stateMatched {
				return i
			}
		}
		state = following
	}
	return len(data)
}

// follow makes the state behind a byte.
func (a *automaton) follow(state uint16, b byte) uint16 {
	if b == '\n' {
		a.next[int(state)<<8|'\n'] = stateStart
		return stateStart
	}
	reached := &marks{}
	for _, pc := range a.sets[state] {
		inst := &a.program.Inst[pc]
		switch {
		case b < utf8.RuneSelf:
			if takes(inst, rune(b)) {
				a.reach(reached, inst.Out)
			}
		case takesBeyondASCII(inst):
			reached.add(pc) // the next byte may belong to the same character
			a.reach(reached, inst.Out)
		}
	}
	if len(a.sets) == maxStates {
		a.reset()
		return a.state(reached) // what led here is forgotten, and so the way is not kept
	}
	following := a.state(reached)
	a.next[int(state)<<8|int(b)] = following
	return following
}

// state returns the state with the instructions that were reached and those of the start.
func (a *automaton) state(reached *marks) uint16 {
	a.reach(reached, uint32(a.program.Start))
	if reached.isMatch {
		if len(a.sets) == stateStart { // even an empty line matches
			a.sets = append(a.sets, nil)
			a.next = append(a.next, make([]uint16, 256)...)
		}
		return stateMatched
	}
	slices.Sort(reached.list)
	key := make([]byte, 0, 4*len(reached.list))
	for _, pc := range reached.list {
		key = append(key, byte(pc), byte(pc>>8), byte(pc>>16), byte(pc>>24))
	}
	if state, ok := a.known[string(key)]; ok {
		return state
	}
	state := uint16(len(a.sets))
	a.known[string(key)] = state
	a.sets = append(a.sets, append([]uint32{}, reached.list...))
	a.next = append(a.next, make([]uint16, 256)...)
	return state
}

// marks is a set of instructions that is being made.
type marks struct {
	list    []uint32 // those that take a character
	seen    map[uint32]bool
	isMatch bool
}

// add adds an instruction; false: it is there already.
func (m *marks) add(pc uint32) bool {
	if slices.Contains(m.list, pc) {
		return false
	}
	m.list = append(m.list, pc)
	return true
}

// reach adds what can be reached from an instruction without taking a character.
func (a *automaton) reach(m *marks, pc uint32) {
	if m.seen == nil {
		m.seen = map[uint32]bool{}
	}
	if m.seen[pc] {
		return
	}
	m.seen[pc] = true
	switch inst := &a.program.Inst[pc]; inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		a.reach(m, inst.Out)
		a.reach(m, inst.Arg)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		a.reach(m, inst.Out)
	case syntax.InstMatch:
		m.isMatch = true
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		m.add(pc)
	}
}

// takes reports whether an instruction takes a character.
func takes(inst *syntax.Inst, char rune) bool {
	switch inst.Op {
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return char != '\n'
	}
	return inst.MatchRune(char)
}

// takesBeyondASCII reports whether an instruction takes any character beyond ASCII.
func takesBeyondASCII(inst *syntax.Inst) bool {
	if inst.Op == syntax.InstRuneAny || inst.Op == syntax.InstRuneAnyNotNL {
		return true
	}
	for _, char := range inst.Rune {
		if char >= utf8.RuneSelf {
			return true
		}
		if syntax.Flags(inst.Arg)&syntax.FoldCase == 0 {
			continue
		}
		for other := unicode.SimpleFold(char); other != char; other = unicode.SimpleFold(other) {
			if other >= utf8.RuneSelf {
				return true
			}
		}
	}
	return false
}
