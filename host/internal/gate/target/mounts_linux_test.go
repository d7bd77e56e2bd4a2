package target

import (
	"reflect"
	"testing"
)

func TestParseMountinfo(t *testing.T) {
	t.Parallel()
	got := parseMountinfo(`22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:25 / /mnt/a\040b\134c rw master:2 propagate_from:1 - fuse.sshfs host:/ rw
31 22 0:26 / /home rw - autofs systemd-1 rw
32 31 0:27 / /home rw - nfs4 server:/home rw
rubbish
40 22 0:28 / /bad\9 rw - tmpfs tmpfs rw
`)
	want := map[string]string{"/": "ext4", `/mnt/a b\c`: "fuse.sshfs", "/home": "nfs4", `/bad\9`: "tmpfs"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if mounts, err := readMounts(); err != nil || mounts["/"] == "" {
		t.Errorf("this machine: got %v, %v, want at least the root", mounts, err)
	}
}
