package program

// findNewer are find's tests of the form -newerXY.
var findNewer = func() string {
	out := ""
	for _, x := range "aBcm" {
		for _, y := range "aBcmt" {
			out += " -newer" + string(x) + string(y) + "="
		}
	}
	return out
}()

// searchRows are programs for finding files and programs.
var searchRows = []Row{
	{
		Name: "find|gfind|bfs", Lists: "-files0-from", OneDash: true, Dotless: true, Names: true, Reads: "find with tests that only look and print", Unless: findActs, Touches: findTouches,
		Options: "-name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -regextype= -lname= -ilname= -type= -xtype= -size= -mtime= -atime= -ctime= -mmin= -amin= -cmin= -Btime= -Bmin= -newer= -anewer= -cnewer= -bnewer= -mnewer= -samefile= -maxdepth= -mindepth= -perm= -user= -group= -uid= -gid= -links= -inum= -fstype= -printf= -used= -since= -context= -flags= -xattrname= -files0-from=<" + findNewer +
			" -H -L -P -E -X -d -s -x -f=<! -O0 -O1 -O2 -O3 -D= -empty -print -print0 -printx -ls -prune -quit -depth -xdev -mount -daystart -follow -nouser -nogroup -readable -writable -executable -true -false -not -and -or -a -o -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -sparse -acl -xattr -help -version" +
			" -delete! -exec=; -execdir=;! -ok=;! -okdir=;! -fprint=> -fprint0=> -fls=> -fprintf=> ( ) ! ,",
		Operands: "r*", Version: "--version --help find:-version,-help",
	},
	{
		Name: "fd|fdfind", Names: true, Reads: "fd lists names", Unless: findActs, Touches: fdTouches,
		Options:  "-H|--hidden --no-hidden -I|--no-ignore --ignore --no-ignore-vcs --ignore-vcs --no-require-git --require-git --no-ignore-parent --no-global-ignore-file -u|--unrestricted -s|--case-sensitive -i|--ignore-case -g|--glob --regex -F|--fixed-strings --and= -a|--absolute-path --relative-path -l|--list-details -L|--follow --no-follow -p|--full-path -0|--print0 -d|--max-depth|--maxdepth= --min-depth= --exact-depth= -E|--exclude= --prune -t|--type= -e|--extension= -S|--size= --changed-within|--change-newer-than|--newer|--changed-after= --changed-before|--change-older-than|--older= -o|--owner= --format= -x|--exec=; -X|--exec-batch=; --batch-size= --ignore-file=< -c|--color= --hyperlink=? --ignore-contain= -j|--threads= --max-buffer-time= --max-results= -1 -q|--quiet --show-errors --base-directory=< -C=< --path-separator= --search-path=< --strip-cwd-prefix=? --one-file-system|--mount|--xdev --gen-completions=? -h|--help -V|--version",
		Operands: "t r*",
	},
	{Name: "locate|plocate|mlocate|slocate|glocate", Names: true, Tame: true, Abbreviates: true, Reads: "locate lists names", Options: "-0|--null -1 -A|--all -b|--basename -c|--count -d|--database=< -e|--existing -i|--ignore-case -l|-n|--limit= -N|--literal -p|--ignore-spaces -q|--quiet -r|--regexp= --regex -w|--wholename -S|--statistics -m -s -L|--follow -P|--nofollow -H -h|--help -V|--version", Operands: "t*"},
	{Name: "mdfind", OneDash: true, Names: true, Tame: true, Reads: "mdfind lists names", Options: "-0 -live -count -onlyin=< -name= -literal -interpret -s= -reprint", Operands: "t*"},
	{Name: "which|gwhich", Abbreviates: true, Names: true, Tame: true, Reads: "which finds a program", Options: "-a|--all -s -v|-V|--version -i|--read-alias --skip-alias --read-functions --skip-functions --skip-dot --skip-tilde --show-dot --show-tilde --tty-only --help", Operands: "t*"},
	{Name: "whereis", Names: true, Tame: true, Reads: "whereis finds a program", Options: "-b -B=< -m -M=< -s -S=< -f -u -q -g -a -l -h|--help -V|--version", Operands: "t*"},
	{Name: "type|whence", Names: true, Tame: true, Reads: "type tells what a word means", Options: "-afptPvwcSsm -x=", Operands: "t*"},
	{Name: "where", Names: true, Tame: true, Reads: "where finds a program", Options: "-wpmsS -x=", Operands: "t*"},
}
