package keeper

// Status is what a keeper holds.
type Status struct {
	// Pid is the keeper's process.
	Pid int `json:"pid"`
	// Processes are those that it holds, the oldest first.
	Processes []Held `json:"processes"`
}

// Held is a process that a keeper holds.
type Held struct {
	// Plugin is the plugin's name, Path its executable, Dir its working directory.
	Plugin string `json:"plugin"`
	Path   string `json:"path"`
	Dir    string `json:"dir"`
	// Pid is its id; 0 while it is being started.
	Pid int `json:"pid"`
	// Busy is set while a run uses it.
	Busy bool `json:"busy"`
	// Runs is how many runs have used it.
	Runs int `json:"runs"`
	// AgeMS is how long ago it was started, IdleMS how long nobody has used it, in
	// milliseconds; KeepMS is how long it is kept without being used.
	AgeMS  int64 `json:"age_ms"`
	IdleMS int64 `json:"idle_ms"`
	KeepMS int64 `json:"keep_ms"`
}

// Busy counts the processes that runs use.
func (s Status) Busy() (n int) {
	for _, h := range s.Processes {
		if h.Busy {
			n++
		}
	}
	return n
}
