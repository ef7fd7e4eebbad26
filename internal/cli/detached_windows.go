package cli

// isDetached returns true: the system does not tell a process that its parent has ended.
func isDetached(int) bool { return true }
