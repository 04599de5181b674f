// Package engine is the decision core of a hunt: a pure fold of journaled facts
// into a State, and the next thing to do as a function of that State.
//
//	state = Fold(events)      decision = state.Next(planner)
//
// A shell around it (internal/app) performs the decision and appends each fact
// as an Event before acting on it, so that a kill at any moment loses at most
// the measurement that was running. Resume, undo, replay, the simulator and the
// tests all use this code.
//
// The engine never touches files, processes, the network or a clock, and it
// never knows which planner runs: the classic one and the adaptive one live
// behind search.Planner.
package engine
