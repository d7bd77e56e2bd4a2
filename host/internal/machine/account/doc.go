// Package account finds the home directory of the process's account, by the system's list of
// accounts alone. It imports nothing of ours; package config and the hook's process call it.
package account
