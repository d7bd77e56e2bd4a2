//go:build unix

package storetest

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// serverAccount is the account for a server: PostgreSQL refuses to run as root. nil is this one.
func serverAccount() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// giveToServer makes the server's account the owner of a directory.
func giveToServer(dir string) error {
	account, err := serverAccount()
	if err != nil || account == nil {
		return err
	}
	return os.Chown(dir, int(account.Uid), int(account.Gid))
}

func asServer() *syscall.SysProcAttr {
	account, _ := serverAccount() // giveToServer has looked
	return &syscall.SysProcAttr{Credential: account}
}
