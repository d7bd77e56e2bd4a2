package view

import "github.com/callgate/callgate/host/internal/approval/push"

// PushDevices are the browsers that get messages about waiting asks.
type PushDevices struct {
	// Key is the daemon's public key for a further subscription (applicationServerKey), in base64url.
	Key     string       `json:"key"`
	Devices []PushDevice `json:"devices"`
}

// PushDevice is one of them.
type PushDevice = push.Device

// NewPush subscribes a browser.
type NewPush struct {
	// Name is the person's word for the device.
	Name         string            `json:"name"`
	Subscription push.Subscription `json:"subscription"`
}
