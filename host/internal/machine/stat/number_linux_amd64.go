package stat

import "syscall"

const number = syscall.SYS_NEWFSTATAT
