package pin

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const supported = true

// noDevice is e_tdev of a process without a controlling terminal. Source:
// sys/sysctl.h, NODEV.
const noDevice = -1

// inspect uses kinfo_proc, and getsid for the session, because e_sess is an address hidden by
// the kernel. Source: sys/sysctl.h.
func inspect(pid int) (seen, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return seen{}, err
	}
	if int(info.Proc.P_pid) != pid {
		return seen{}, fmt.Errorf("process %d has ended", pid)
	}
	started := info.Proc.P_starttime
	out := seen{born: fmt.Sprintf("%d.%06d", started.Sec, started.Usec)}
	if out.leader, err = unix.Getsid(pid); err != nil {
		return seen{}, err
	}
	if info.Eproc.Tdev != noDevice && out.leader > 0 {
		out.terminal = fmt.Sprintf("tty%d/%d", info.Eproc.Tdev, out.leader)
	}
	return out, nil
}
