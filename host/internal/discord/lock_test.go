package discord

import "testing"

// A trial on this machine keeps to its own directory; daemons of Discord meet.
func TestMeetingPlaces(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, url := range []string{"http://127.0.0.1:1234", "http://localhost:1"} {
		if got := meetingPlaces(url); len(got) != 0 {
			t.Errorf("%s: %v", url, got)
		}
	}
	before := meetingPlaces("")
	t.Setenv("HOME", t.TempDir())
	after := meetingPlaces("https://discord.com/api/v10")
	if len(before) != len(after) || len(after) > 0 && before[0] != after[0] {
		t.Errorf("the environment chooses where daemons meet: %v, %v", before, after)
	}
}
