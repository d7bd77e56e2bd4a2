package program

import "strings"

// gitHeeds is the configuration for programs run by git while it reads (threat T19). Sources:
// git-config(1), gitattributes(5).
const gitHeeds = "core.fsmonitor, core.pager, pager.*, diff.external, textconv, filters, include.path, alias.*, hooks"

const (
	// gitDiff are the options of all commands showing differences. Sources: git-diff(1) up to
	// 2.52, diff.c.
	gitDiff = " -p|-u|--patch -s|--no-patch -U|--unified=? -W|--function-context --no-function-context --output=> --output-indicator-new= --output-indicator-old= --output-indicator-context=" +
		" --raw --patch-with-raw --patch-with-stat -t -r --indent-heuristic --no-indent-heuristic --minimal --no-minimal --patience --histogram --anchored= --diff-algorithm= --stat=? --no-stat" +
		" --stat-width= --stat-name-width= --stat-graph-width= --stat-count= --compact-summary --no-compact-summary --numstat --shortstat -X|--dirstat=? --cumulative --dirstat-by-file=? --summary" +
		" --name-only --name-status --submodule=? --color=? --no-color --color-moved=? --no-color-moved --color-moved-ws= --no-color-moved-ws --word-diff=? --word-diff-regex= --color-words=?" +
		" --no-renames --renames --rename-empty --no-rename-empty --check --ws-error-highlight= --full-index --no-full-index --binary --abbrev=? --no-abbrev -B|--break-rewrites=? -M|--find-renames=?" +
		" -C|--find-copies=? --find-copies-harder -D|--irreversible-delete -l= --diff-filter= -S= -G= --find-object= --pickaxe-all --pickaxe-regex -O=< --skip-to= --rotate-to= -R --relative=?" +
		" --no-relative -a|--text --no-text --ignore-cr-at-eol -w|--ignore-all-space -b|--ignore-space-change --ignore-space-at-eol --ignore-blank-lines -I|--ignore-matching-lines= --inter-hunk-context=" +
		" --exit-code --quiet -q -z --ext-diff!~ --no-ext-diff --textconv!~ --no-textconv --ignore-submodules=? --src-prefix= --dst-prefix= --no-prefix --default-prefix --line-prefix=" +
		" --ita-invisible-in-index --ita-visible-in-index --no-index! --cached|--staged --merge-base -c --cc --combined-all-paths -m --diff-merges= --no-diff-merges --remerge-diff --dd --base --follow"
	// gitWalk are the options for choosing commits, and for their format. Sources:
	// git-rev-list(1), revision.c.
	gitWalk = " -# -n|--max-count= --skip= --since= --since-as-filter= --after= --until= --before= --max-age= --min-age= --author= --committer= --grep= --grep-reflog= --all-match --invert-grep" +
		" -i|--regexp-ignore-case -E|--extended-regexp -F|--fixed-strings -P|--perl-regexp --basic-regexp --remove-empty --merges --no-merges --min-parents=? --max-parents=? --no-min-parents --no-max-parents" +
		" --first-parent --exclude-first-parent-only --not --all --branches=? --tags=? --remotes=? --glob= --exclude= --exclude-hidden= --reflog --alternate-refs! --single-worktree --ignore-missing" +
		" --stdin --cherry-mark --cherry-pick --cherry --left-only --right-only -g|--walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse" +
		" --simplify-merges --ancestry-path=? --date-order --author-date-order --topo-order --reverse --no-walk=? --do-walk --pretty=? --format=? --abbrev-commit --no-abbrev-commit --oneline" +
		" --encoding= --expand-tabs=? --no-expand-tabs --notes=? --no-notes --show-notes=? --show-notes-by-default --standard-notes --no-standard-notes --show-signature! --no-show-signature" +
		" --relative-date --date= --parents --children --left-right --graph --no-graph --show-linear-break=? --count --timestamp --objects --objects-edge --objects-edge-aggressive --indexed-objects" +
		" --unpacked --object-names --no-object-names --filter=? --no-filter --missing=? --header --disk-usage=? --use-bitmap-index --bisect --bisect-vars --bisect-all --progress=? --log-size"
	// gitShown are log's own.
	gitShown = " --decorate=? --no-decorate --decorate-refs= --decorate-refs-exclude= --clear-decorations --no-clear-decorations --source --no-source --use-mailmap|--mailmap --no-use-mailmap|--no-mailmap -L= --ours --theirs"
	gitLog   = gitDiff + gitWalk + gitShown
	// gitRefs are the choosing options of branch, tag and for-each-ref.
	gitRefs = " --contains|--with= --no-contains|--without= --merged= --no-merged= --points-at= --sort= --no-sort --format= --color=? --no-color -i|--ignore-case --omit-empty"
	// gitBlame are those of blame and annotate.
	gitBlame = " --incremental -b --root --show-stats --progress --no-progress --score-debug -f|--show-name -n|--show-number -p|--porcelain --line-porcelain -c -t -l -s -e|--show-email -w --ignore-rev=" +
		" --ignore-revs-file=< --color-lines --color-by-age --minimal -S=< --contents=<! -C=? -M=? -L= --abbrev=? --date= --since= --until= --before= --after= --first-parent --reverse --encoding= --diff-algorithm= --textconv!~ --no-textconv -#"
	// gitFetched are the options of commands with another repository.
	gitFetched = " -v|--verbose --no-verbose -q|--quiet --progress --no-progress -4|--ipv4 -6|--ipv6 --depth= --shallow-since= --shallow-exclude= --deepen= --unshallow --update-shallow --refmap= --negotiation-tip= --show-forced-updates --no-show-forced-updates --set-upstream" +
		" -a|--append -f|--force~ -t|--tags --no-tags -p|--prune -k|--keep --dry-run --all --no-all --atomic --upload-pack=$ --recurse-submodules=? --no-recurse-submodules --recurse-submodules-default= --filter= --no-filter --refetch --prefetch --stdin"
	gitMessage = " -m|--message= -F|--file=< --cleanup= -S|--gpg-sign=?! --no-gpg-sign -e|--edit --no-edit --no-signoff"
	gitMerge   = " --stat --summary -n|--no-stat --compact-summary --log=? --no-log --squash --no-squash --commit --no-commit --ff --no-ff --ff-only --rerere-autoupdate --no-rerere-autoupdate --verify-signatures! --no-verify-signatures" +
		" -s|--strategy= -X|--strategy-option= --allow-unrelated-histories --autostash --no-autostash"
	gitSpecs = " --pathspec-from-file=< --pathspec-file-nul"
)

// gitReads is a row of a reading sub-command.
func gitReads(name, operands, why, options string) Row {
	return Row{
		Name: "git " + name, Abbreviates: true, Options: options, Operands: operands, Reads: why, Repo: true, Heeds: gitHeeds, Touches: gitTouches,
	}
}

// gitSearches is a row of a search through everything below its operands.
func gitSearches(r Row) Row {
	r.Deep = "*"
	return r
}

// gitNames is gitReads for names only.
func gitNames(name, operands, why, options string) Row {
	r := gitReads(name, operands, why, options)
	r.Names = true
	return r
}

// gitJudged is gitReads with a judge.
func gitJudged(unless func(*Use) string, r Row) Row {
	r.Unless = unless
	return r
}

// gitListing is a row reading names of files from a list, with the options.
func gitListing(options string, r Row) Row {
	r.Lists = options
	return r
}

// saying is a row with what a use means besides its words.
func saying(says func(*Use) []string, r Row) Row {
	r.Says = says
	return r
}

// gitMerges is a row of a sub-command that takes a merge strategy with the option.
func gitMerges(option string, r Row) Row {
	r.ChoosesIf = func(u *Use) []int { return gitStrategies(u, option) }
	return r
}

// gitActs is a row of a changing sub-command.
func gitActs(name, operands, options string) Row {
	return Row{Name: "git " + name, Abbreviates: true, Options: options, Operands: operands, Touches: gitTouches}
}

// gitSweeps is gitActs for changes of files in the working tree without naming them.
func gitSweeps(name, operands, options string) Row {
	r := gitActs(name, operands, options)
	r.Sweeps = always
	return r
}

// gitGroup is a sub-command with sub-commands.
func gitGroup(name, options string) Row {
	return Row{Name: "git " + name, Abbreviates: true, Options: options, Commands: true, Operands: "t*"}
}

// gitRows are git and its sub-commands. Sources: the manual pages of git 2.39, and additions in
// later versions up to 2.52.
var gitRows = []Row{
	{
		Name: "git", Fetches: true, Commands: true, Verb: true, Operands: "t*", In: "-C", Sweeps: always, Version: "--version -v version --html-path --man-path --info-path --exec-path -h --help", Unless: gitUnless, AsksIf: gitAsks, Chooses: Named, ChoosesIf: gitChooses,
		Options: "-v|--version -h|--help! -C=< -c= --config-env=!~ --exec-path=?!~ --html-path --man-path --info-path -p|--paginate! -P|--no-pager --git-dir=/!~ --work-tree=/!~ --namespace=!~ --super-prefix=!~ --bare!" +
			" --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --attr-source=! --list-cmds=?",
	},

	// Commands that show commits and differences.
	gitListing("--stdin", gitReads("log", "r*", "git log reads", gitLog)),
	gitListing("--stdin", gitReads("show", "r*", "git show reads", gitLog)),
	gitJudged(gitComparesFiles, gitReads("diff", "r*", "git diff reads", strings.Replace(gitDiff, " --no-index!", " --no-index", 1)+" --oneline -iEFP -0123 -L= --ours --theirs --encoding=")),
	gitReads("shortlog", "r*", "git shortlog reads", " -# -c|--committer -n|--numbered -s|--summary -e|--email -w=? --group= --format=? --since= --after= --until= --before= --author= --grep= --all --branches=? --tags=? --remotes=? --glob= --exclude= --not --merges --no-merges --first-parent --max-count= --skip= -i --invert-grep --date= --reverse --topo-order --use-mailmap --encoding= --left-right --cherry-pick"),
	// It is no reader: since 2.52 an alias may replace it.
	gitActs("whatchanged", "r*", gitLog),
	gitReads("range-diff", "r*", "git range-diff reads", gitDiff+" --creation-factor= --no-dual-color --dual-color --notes=? --no-notes --left-only --right-only"),
	gitReads("diff-tree", "r*", "git diff-tree reads", gitDiff+" -iEFP -L= --no-commit-id --root --pretty=? --format=? --stdin -v --always --encoding="),
	gitReads("diff-index", "r*", "git diff-index reads", gitDiff),
	gitReads("diff-files", "r*", "git diff-files reads", gitDiff+" -0123 --ours --theirs"),
	gitReads("blame|annotate", "r*", "git blame reads", gitBlame),
	gitReads("cherry", "t*", "git cherry reads", "-v|--verbose --abbrev=? --no-abbrev"),
	gitJudged(gitReflogShows, Row{
		Name: "git reflog", Abbreviates: true, Verb: true, Options: gitLog, Operands: "t*", Reads: "git reflog shows", Repo: true, Heeds: gitHeeds,
	}),
	gitReads("rev-list", "r*", "git rev-list reads", gitLog),
	gitSearches(gitReads("grep", "t r*", "git grep searches",
		" --cached --no-index --untracked --exclude-standard --no-exclude-standard --recurse-submodules -v|--invert-match -i|--ignore-case -w|--word-regexp -a|--text -I --textconv!~ --no-textconv -r|--recursive --no-recursive --max-depth= -E|--extended-regexp -G|--basic-regexp -F|--fixed-strings -P|--perl-regexp -n|--line-number --no-line-number --column --no-column -h -H --full-name -l|--files-with-matches|--name-only -L|--files-without-match -z|--null -o|--only-matching -c|--count --color=? --no-color --break --heading -C|--context= -B|--before-context= -A|--after-context= --threads= -p|--show-function -W|--function-context -f=<% -e=% --and --or --not ( ) -q|--quiet --all-match -O|--open-files-in-pager=?$! --ext-grep!~ --no-ext-grep -m|--max-count= -#")),

	// Commands that list.
	gitReads("status", "r*", "git status reads", " -v|--verbose -s|--short --no-short -b|--branch --no-branch --show-stash --no-show-stash --ahead-behind --no-ahead-behind --porcelain=? --long -z|--null -u|--untracked-files=? --no-untracked-files --ignored=? --no-ignored --ignore-submodules=? --column=? --no-column --no-renames --renames -M|--find-renames=?"),
	meaning(gitBranches, gitJudged(gitLists, gitNames("branch", "t*", "git branch lists",
		gitRefs+" -v|--verbose -q|--quiet -t|--track=?! --no-track! -u|--set-upstream-to=! --unset-upstream! -r|--remotes --abbrev=? --no-abbrev -a|--all -d|--delete! -D! -m|--move! -M! -c|--copy! -C! -l|--list --show-current --create-reflog! --edit-description! -f|--force! --column=? --no-column --recurse-submodules!"))),
	gitJudged(gitLists, gitNames("tag", "t*", "git tag lists",
		gitRefs+" -l|--list -n=? -d|--delete! -v|--verify! -a|--annotate! -m|--message=! -F|--file=<! -e|--edit! -s|--sign! --no-sign! --cleanup=! -u|--local-user=! -f|--force! --create-reflog! --trailer=! --column=? --no-column")),
	gitNames("for-each-ref", "t*", "git for-each-ref reads", gitRefs+" -s|--shell! -p|--perl! --python! --tcl! --count= --stdin --exclude= --include-root-refs --start-after="),
	gitNames("show-ref", "t*", "git show-ref reads", " -h --heads|--branches --tags --verify --exists --head -d|--dereference -s|--hash=? --abbrev=? --no-abbrev -q|--quiet --exclude-existing=?!"),
	gitNames("show-branch", "t*", "git show-branch reads", " -a|--all -r|--remotes --color=? --no-color --more=? --list --no-name --current --sha1-name --merge-base --independent --topo-order --topics --sparse --date-order -g|--reflog=?"),
	gitNames("ls-files", "r*", "git ls-files reads", " -z -t -v -f -c|--cached -d|--deleted -m|--modified -o|--others -i|--ignored -s|--stage -k|--killed --directory --eol --empty-directory --no-empty-directory -u|--unmerged --resolve-undo -x|--exclude= -X|--exclude-from=< --exclude-per-directory= --exclude-standard --full-name --recurse-submodules --error-unmatch --with-tree= --abbrev=? --no-abbrev --debug --deduplicate --sparse --format="),
	gitNames("ls-tree", "t r*", "git ls-tree reads", " -d -r -t -z -l|--long --name-only|--name-status --object-only --full-name --full-tree --format= --abbrev=? --no-abbrev"),
	gitListing("--batch --batch-check --batch-command", gitReads("cat-file", "r*", "git cat-file reads", " -e -p -t -s --allow-unknown-type --use-mailmap|--mailmap --no-use-mailmap|--no-mailmap --batch=?! --batch-check=? -z -Z --batch-command=?! --batch-all-objects --buffer --follow-symlinks --unordered --textconv!~ --filters! --path=! --filter=")),
	gitNames("rev-parse", "t*", "git rev-parse reads", " -# --parseopt! --keep-dashdash! --stop-at-non-option! --stuck-long! --sq-quote! -q|--quiet --verify --sq --short=? --abbrev-ref=? --symbolic --symbolic-full-name --output-object-format= --all --branches=? --tags=? --remotes=? --glob=? --exclude=? --exclude-hidden=? --disambiguate=? --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --resolve-git-dir= --show-superproject-working-tree --shared-index-path --show-object-format=? --show-ref-format --path-format=? --git-path= --local-env-vars --not --revs-only --no-revs --flags --no-flags --default= --prefix= --since=? --until=? --after=? --before=?"),
	gitNames("describe", "t*", "git describe reads", " --contains --debug --all --tags --long --first-parent --abbrev=? --no-abbrev --exact-match --candidates= --match= --no-match --exclude= --no-exclude --always --dirty=? --broken=?"),
	gitNames("name-rev", "t*", "git name-rev reads", " --name-only --tags --refs= --no-refs --exclude= --all --stdin --annotate-stdin --undefined --no-undefined --always"),
	gitNames("merge-base", "t*", "git merge-base reads", " -a|--all --octopus --independent --is-ancestor --fork-point"),
	gitNames("count-objects", "", "git count-objects reads", " -v|--verbose -H|--human-readable"),
	gitNames("check-ignore", "r*", "git check-ignore reads", " -q|--quiet -v|--verbose --stdin -z -n|--non-matching --no-index"),
	gitNames("check-attr", "t*", "git check-attr reads", " -a|--all --cached --stdin -z --source="),
	gitNames("check-mailmap", "t*", "git check-mailmap reads", " --stdin --mailmap-file=< --mailmap-blob="),
	gitNames("check-ref-format", "t*", "git check-ref-format checks a name", " --branch --normalize --print --allow-onelevel --no-allow-onelevel --refspec-pattern"),
	gitReads("fsck", "t*", "git fsck checks", " -v|--verbose --unreachable --dangling --no-dangling --tags --root --cache --reflogs --no-reflogs --full --no-full --connectivity-only --strict --lost-found! --progress --no-progress --name-objects --references --no-references"),
	gitReads("verify-pack", "r*", "git verify-pack checks", " -v|--verbose -s|--stat-only --object-format="),
	gitNames("get-tar-commit-id", "", "git get-tar-commit-id reads its input", ""),
	gitNames("patch-id", "", "git patch-id reads its input", "--stable --unstable --verbatim"),
	gitNames("stripspace", "", "git stripspace prints its input", "-s|--strip-comments -c|--comment-lines"),
	gitNames("column", "", "git column prints its input", "--command= --mode= --raw-mode= --width= --indent= --nl= --padding="),
	gitNames("version", "", "prints the version", "--build-options"),
	gitNames("help", "t?", "git help shows a page", " -a|--all --external-commands --no-external-commands --aliases --no-aliases -m|--man! -w|--web! -i|--info! -v|--verbose -g|--guides --user-interfaces --developer-interfaces -c|--config"),
	gitNames("var", "t", "git var prints a setting", "-l!"),
	gitJudged(gitConfigReads, Row{
		Name: "git config", Verb: true, Abbreviates: true, Operands: "t*", Reads: "git config reads", Repo: true, Heeds: gitHeeds, Touches: gitConfigTouches,
		Options: " --global --system --local --worktree -f|--file=< --blob=! --get --get-all --get-regexp --get-urlmatch! --replace-all! --add! --append! --unset! --unset-all! --rename-section! --remove-section! -l|--list --fixed-value --value= -e|--edit! --get-color! --get-colorbool! -t|--type= --no-type --bool --int --bool-or-int --bool-or-str --path --expiry-date -z|--null --name-only --show-names --no-show-names --includes --no-includes --show-origin --show-scope --default= --all --regexp --url=! --comment=!",
	}),

	// Commands that change the repository, or files named by them.
	gitActs("ls-remote", "h t*", " -q|--quiet --upload-pack|--exec=$ -t|--tags -h|--heads|--branches --refs --get-url --sort= --exit-code --symref -o|--server-option="),
	gitListing("--pathspec-from-file", gitActs("add|stage", "r*", " -n|--dry-run -v|--verbose -i|--interactive -p|--patch -e|--edit -f|--force -u|--update --renormalize -N|--intent-to-add -A|--all|--no-ignore-removal --ignore-removal|--no-all --refresh --ignore-errors --ignore-missing --sparse --chmod= --no-warn-embedded-repo -U|--unified= --inter-hunk-context="+gitSpecs)),
	gitActs("commit", "r*", gitMessage+gitSpecs+" -s|--signoff -q|--quiet -v|--verbose --author= --date= -c|--reedit-message= -C|--reuse-message= --fixup= --squash= --reset-author --trailer= -t|--template=< --status --no-status -a|--all -i|--include --interactive -p|--patch -o|--only -n|--no-verify~ --verify --dry-run --short --branch --ahead-behind --no-ahead-behind --porcelain --long -z|--null --amend --no-post-rewrite --post-rewrite -u|--untracked-files=? --allow-empty --allow-empty-message -U|--unified= --inter-hunk-context="),
	saying(gitDestinations, meaning(gitPushes, gitActs("push", "h t*", " -v|--verbose -q|--quiet --repo=@ --all|--branches --mirror -d|--delete --tags -n|--dry-run --porcelain -f|--force --no-force --force-with-lease=? --no-force-with-lease --force-if-includes --no-force-if-includes --recurse-submodules= --no-recurse-submodules --thin --no-thin --receive-pack|--exec=$ -u|--set-upstream --progress --no-progress --prune --no-verify~ --verify --follow-tags --no-follow-tags --signed=? --no-signed --atomic --no-atomic -o|--push-option= -4|--ipv4 -6|--ipv6"))),
	gitActs("fetch", "h t*", gitFetched+" -m|--multiple -n -j|--jobs= -P|--prune-tags -u|--update-head-ok -o|--server-option= --write-fetch-head --no-write-fetch-head --negotiate-only --auto-maintenance|--auto-gc --no-auto-maintenance|--no-auto-gc --write-commit-graph --no-write-commit-graph --porcelain --submodule-prefix="),
	gitMerges("-s", gitSweeps("pull", "h t*", gitFetched+gitMerge+" -r|--rebase=? --no-rebase --edit --no-edit --verify --no-verify~ --signoff=? --cleanup= -S|--gpg-sign=? -j|--jobs=? -o|--server-option=")),
	gitMerges("-s", gitSweeps("merge", "t*", gitMessage+gitMerge+" --signoff --into-name= -v|--verbose -q|--quiet --abort --quit --continue --progress --no-progress --overwrite-ignore --no-overwrite-ignore --no-verify~ --verify")),
	gitMerges("-s", gitSweeps("rebase", "t*", " --onto= --keep-base --no-verify~ --verify -q|--quiet -v|--verbose -n|--no-stat --stat --signoff --no-signoff --committer-date-is-author-date --reset-author-date|--ignore-date -C= --ignore-whitespace --whitespace= -f|--force-rebase|--no-ff --ff --continue --skip --abort --quit --edit-todo --show-current-patch --apply -m|--merge -i|--interactive --rerere-autoupdate --no-rerere-autoupdate --empty= -k|--keep-empty --no-keep-empty --autosquash --no-autosquash --update-refs --no-update-refs -S|--gpg-sign=? --no-gpg-sign --autostash --no-autostash -x|--exec=$ -r|--rebase-merges=? --no-rebase-merges --fork-point --no-fork-point -s|--strategy= -X|--strategy-option= --root --reschedule-failed-exec --no-reschedule-failed-exec --reapply-cherry-picks --no-reapply-cherry-picks --trailer=")),
	gitMerges("--strategy", gitSweeps("cherry-pick|revert", "t*", " --quit --continue --abort --skip --cleanup= -n|--no-commit --commit -e|--edit --no-edit -s|--signoff --no-signoff -m|--mainline= --rerere-autoupdate --no-rerere-autoupdate --strategy= -X|--strategy-option= -S|--gpg-sign=? --no-gpg-sign -x -r --ff --allow-empty --allow-empty-message --keep-redundant-commits --empty= --reference")),
	gitSweeps("checkout", "w*", " -b= -B= -l --guess --no-guess --overlay --no-overlay -q|--quiet --recurse-submodules=? --no-recurse-submodules --progress --no-progress -m|--merge --conflict= -d|--detach -t|--track=? --no-track -f|--force --orphan= --overwrite-ignore --no-overwrite-ignore --ignore-other-worktrees -2|--ours -3|--theirs -p|--patch --ignore-skip-worktree-bits -U|--unified= --inter-hunk-context="+gitSpecs),
	gitSweeps("switch", "t*", " -c|--create= -C|--force-create= --guess --no-guess -f|--force|--discard-changes -q|--quiet --recurse-submodules=? --no-recurse-submodules --progress --no-progress -m|--merge --conflict= -d|--detach -t|--track=? --no-track --orphan= --overwrite-ignore --no-overwrite-ignore --ignore-other-worktrees"),
	gitPartly(gitActs("restore", "w*", " -s|--source= -S|--staged -W|--worktree --ignore-unmerged --overlay --no-overlay -q|--quiet --recurse-submodules=? --no-recurse-submodules --progress --no-progress -m|--merge --conflict= -2|--ours -3|--theirs -p|--patch --ignore-skip-worktree-bits -U|--unified= --inter-hunk-context="+gitSpecs)),
	gitPartly(gitActs("reset", "t*", " -q|--quiet --no-quiet --refresh --no-refresh --mixed --soft --hard --merge --keep --recurse-submodules=? --no-recurse-submodules -p|--patch -N|--intent-to-add -U|--unified= --inter-hunk-context="+gitSpecs)),
	gitSweeps("clean", "w*", " -q|--quiet -n|--dry-run -f|--force -i|--interactive -d -e|--exclude= -x -X"),
	gitSweeps("rm", "m*", " -n|--dry-run -q|--quiet --cached -f|--force -r --ignore-unmatch --sparse"+gitSpecs),
	gitSweeps("mv", "m*", " -v|--verbose -n|--dry-run -f|--force -k --sparse"),
	gitSweeps("apply", "r*", " --exclude= --include= -p= --no-add --stat --numstat --summary --check --index -N|--intent-to-add --cached --unsafe-paths --apply -3|--3way --ours --theirs --union --build-fake-ancestor=> -z -C= --whitespace= --ignore-space-change --ignore-whitespace -R|--reverse --unidiff-zero --reject --allow-overlap -v|--verbose -q|--quiet --inaccurate-eof --recount --directory=/ --allow-empty"),
	gitSweeps("am", "r*", " -i|--interactive --no-interactive -b|--binary -3|--3way --no-3way -q|--quiet -s|--signoff -u|--utf8 --no-utf8 -k|--keep --keep-non-patch -m|--message-id --no-message-id --keep-cr --no-keep-cr -c|--scissors --no-scissors --quoted-cr= --whitespace= --ignore-space-change --ignore-whitespace --directory=/ --exclude= --include= -C= -p= --patch-format= --reject --resolvemsg= --continue|-r|--resolved --skip --abort --quit --retry --show-current-patch=? --allow-empty --committer-date-is-author-date --ignore-date --rerere-autoupdate --no-rerere-autoupdate -S|--gpg-sign=? --no-gpg-sign --empty= -n|--no-verify~"),
	gitActs("format-patch", "t*", " -n|--numbered -N|--no-numbered -s|--signoff --stdout --cover-letter --no-cover-letter --numbered-files --suffix= --start-number= -v|--reroll-count= --filename-max-length= --rfc=? --cover-from-description= --description-file=< --subject-prefix= -o|--output-directory=/ --output=> -k|--keep-subject --no-binary --zero-commit --ignore-if-in-upstream -p|--no-stat --add-header= --no-add-header --to= --no-to --cc= --no-cc --from=? --no-from --in-reply-to= --attach=? --no-attach --inline=? --thread=? --no-thread --signature= --no-signature --signature-file=< --base= --no-base -q|--quiet --progress --interdiff= --range-diff= --creation-factor= --force-in-body-from --encode-email-headers --no-encode-email-headers --no-notes --notes=? --root -#"),
	gitActs("archive", "r*", " --format= --prefix= --add-file=< --add-virtual-file= -o|--output=> --worktree-attributes -v|--verbose -l|--list --remote=@ --exec=$ --mtime= -#"),
	gitActs("clone", "t d?", " -v|--verbose -q|--quiet --progress --no-progress --reject-shallow --no-reject-shallow -n|--no-checkout --checkout --bare --mirror -l|--local --no-local --no-hardlinks --hardlinks -s|--shared --recurse-submodules|--recursive=? -j|--jobs= --template=<~ --reference=< --reference-if-able=< --dissociate -o|--origin= -b|--branch= --revision= -u|--upload-pack=$ --depth= --shallow-since= --shallow-exclude= --single-branch --no-single-branch --tags --no-tags --shallow-submodules --no-shallow-submodules --separate-git-dir=/ --ref-format= -c|--config= --server-option= -4|--ipv4 -6|--ipv6 --filter= --also-filter-submodules --remote-submodules --no-remote-submodules --sparse --bundle-uri="),
	gitActs("init|init-db", "d?", " --template=<~ --bare --shared=? -q|--quiet --separate-git-dir=/ -b|--initial-branch= --object-format= --ref-format="),
	gitActs("gc", "", " -q|--quiet --prune=? --no-prune --cruft --no-cruft --aggressive --auto --force --keep-largest-pack --detach --no-detach --max-cruft-size= --expire-to=/"),
	gitActs("prune", "t*", " -n|--dry-run -v|--verbose --progress --expire= --exclude-promisor-objects"),
	gitActs("repack|pack-refs|prune-packed|update-server-info|pack-objects|unpack-objects|index-pack|commit-graph|multi-pack-index|write-tree|mktree|mktag|fast-import", "t*", ""),
	gitActs("fast-export", "t*", " --progress= --signed-tags= --tag-of-filtered-object= --reencode= --export-marks=> --import-marks=< --import-marks-if-exists=< --all --fake-missing-tagger --full-tree --use-done-feature --no-data --refspec= --anonymize --anonymize-map= --reference-excluded-parents --show-original-ids --mark-tags"),
	gitListing("--stdin-paths", gitActs("hash-object", "r*", " -t= -w --stdin --stdin-paths --no-filters --literally --path=")),
	gitActs("update-ref", "t*", " -m= -d --no-deref --deref -z --stdin --create-reflog"),
	gitNames("symbolic-ref", "t", "git symbolic-ref prints a branch", " -q|--quiet -d|--delete! --short --recurse --no-recurse -m=!"),
	gitListing("--stdin --index-info", gitActs("update-index", "r*", " -q --ignore-submodules --add --replace --remove --unmerged --refresh --really-refresh --cacheinfo= --chmod= --assume-unchanged --no-assume-unchanged --skip-worktree --no-skip-worktree --info-only --force-remove -z --stdin --index-info --unresolve -g|--again --ignore-missing --verbose --index-version= --split-index --untracked-cache --fsmonitor")),
	gitListing("--stdin", gitSweeps("checkout-index", "w*", " -a|--all -f|--force -q|--quiet -n|--no-create -u|--index -z --stdin --temp --prefix=/ --stage= --ignore-skip-worktree-bits")),
	gitSweeps("read-tree", "t*", " -m -u -i --reset --prefix=/ --trivial --aggressive --index-output=> --empty --no-sparse-checkout --debug-unpack -v -q -n|--dry-run"),
	gitActs("merge-file", "w r r", " -p|--stdout --object-id --diff3 --zdiff3 --ours --theirs --union --marker-size= -q|--quiet -L= --diff-algorithm="),
	gitActs("merge-tree", "t*", " --write-tree --trivial-merge --messages --no-messages -z --name-only --quiet --allow-unrelated-histories --stdin --merge-base= -X|--strategy-option="),
	{Name: "git interpret-trailers", Abbreviates: true, Touches: gitTouches, Operands: "r*", With: []Form{{"--in-place", "w*"}}, Options: " --in-place --trim-empty --where= --if-exists= --if-missing= --only-trailers --only-input --unfold --parse --no-divider --trailer="},
	gitActs("commit-tree", "t*", " -p= -m= -F=< -S=?"),
	gitActs("replace", "t*", " -l|--list -d|--delete -e|--edit -g|--graft --convert-graft-file -f|--force --raw --format="),
	gitSweeps("rerere", "t*", " --rerere-autoupdate"),
	gitActs("verify-commit|verify-tag", "t*", " -v|--verbose --raw --format="),
	gitSweeps("difftool|mergetool", "r*", " -g|--gui --no-gui -d|--dir-diff -y|--no-prompt --prompt --symlinks --no-symlinks -t|--tool= --tool-help --trust-exit-code --no-trust-exit-code -x|--extcmd=$ --no-index --cached --staged -O=< --rotate-to= --skip-to= --name-only"),
	gitSweeps("send-email|imap-send|request-pull|daemon|instaweb|gui|citool|gitk|credential|credential-cache|credential-store|shell|web--browse|http-backend|fetch-pack|send-pack|upload-pack|receive-pack|upload-archive|remote-http|remote-https|remote-ext|remote-fd|quiltimport|archimport|cvsimport|cvsexportcommit|cvsserver|p4|for-each-repo|hook|lfs|annex|flow|absorb|fsmonitor--daemon|backfill|refs|replay|repo", "t*", ""),
	{Name: "git svn|subtree|maintenance|scalar", Verb: true, Options: "-f|--force -q|--quiet", Operands: "t*", Sweeps: always},
	gitSweeps("filter-branch", "t*", " --setup=$ --subdirectory-filter= --env-filter=$ --tree-filter=$ --index-filter=$ --parent-filter=$ --remap-to-ancestor --msg-filter=$ --commit-filter=$ --tag-name-filter=$ --prune-empty --original= -d=/ -f|--force --state-branch= --all --branches"),
	gitSweeps("filter-repo", "t*", " --path= --invert-paths --force -f --subdirectory-filter= --to-subdirectory-filter= --replace-text=< --analyze --refs="),

	// Groups of sub-commands.
	gitGroup("bisect", ""),
	gitReads("bisect log", "", "git bisect log reads", ""),
	gitActs("bisect terms", "", "--term-good|--term-old --term-bad|--term-new"),
	gitSweeps("bisect view|visualize", "r*", gitLog),
	gitSweeps("bisect start", "t*", "--term-new|--term-bad= --term-old|--term-good= --no-checkout --first-parent"),
	gitSweeps("bisect good|bad|new|old|skip|reset|next", "t*", ""),
	gitSweeps("bisect replay", "r", ""),
	gitSweeps("bisect run", "c", ""),
	gitListed(gitGroup("remote", "-v|--verbose"), "git remote lists"),
	gitNames("remote get-url", "t", "git remote get-url prints an address", "--push --all"),
	gitActs("remote show", "t*", "-n"),
	gitActs("remote add", "t h", "-f|--fetch --tags --no-tags -t|--track= -m|--master= --mirror=?"),
	gitActs("remote set-url", "t h t?", "--push --add --delete"),
	gitActs("remote rename|remove|rm|set-head|set-branches|prune|update", "t*", "-a|--auto -d|--delete --add -n|--dry-run -p|--prune --progress --no-progress"),
	gitStashed("stash", "-p|--patch -S|--staged -k|--keep-index --no-keep-index -q|--quiet -u|--include-untracked -a|--all -m|--message= -U|--unified= --inter-hunk-context="+gitSpecs),
	gitReads("stash list", "r*", "git stash list reads", gitLog),
	gitReads("stash show", "r*", "git stash show reads", gitLog+" --include-untracked --no-include-untracked --only-untracked"),
	gitSweeps("stash push|save", "w*", "-p|--patch -S|--staged -k|--keep-index --no-keep-index -q|--quiet -u|--include-untracked -a|--all -m|--message= -U|--unified= --inter-hunk-context="+gitSpecs),
	gitSweeps("stash pop|apply|branch", "t*", "--index -q|--quiet"),
	gitActs("stash drop|clear|create|store|export|import", "t*", "-q|--quiet -m|--message= --print --to-ref="),
	gitGroup("worktree", ""),
	gitNames("worktree list", "", "git worktree list reads", "-v|--verbose --porcelain -z --expire="),
	gitActs("worktree add", "d t?", "-f|--force -d|--detach --checkout --no-checkout --lock --reason= -b= -B= --orphan --guess-remote --no-guess-remote --track --no-track -q|--quiet --relative-paths --no-relative-paths"),
	gitActs("worktree remove", "m*", "-f|--force"),
	gitActs("worktree move", "m d", "-f|--force"),
	gitActs("worktree lock|unlock|prune|repair", "w*", "-n|--dry-run -v|--verbose --expire= --reason= --relative-paths --no-relative-paths"),
	gitGroup("notes", "--ref="),
	gitReads("notes show|list", "t*", "git notes reads", ""),
	gitActs("notes add|append|edit|copy|remove|merge|prune|get-ref", "t*", "-m|--message= -F|--file=< -C|--reuse-message= -c|--reedit-message= --allow-empty -f|--force --stdin --ignore-missing -n|--dry-run -v|--verbose -q|--quiet -s|--strategy= --commit --abort --separator=? --stripspace --no-stripspace"),
	gitListed(gitGroup("submodule", "-q|--quiet --cached"), "git submodule shows the state"),
	gitReads("submodule status", "r*", "git submodule status shows the state", "-q|--quiet --cached --recursive"),
	gitReads("submodule summary", "r*", "git submodule summary shows the state", "-q|--quiet --cached --files -n|--summary-limit= --for-status"),
	gitShells("submodule foreach", "-q|--quiet --recursive"),
	gitSweeps("submodule add", "h w?", "-q|--quiet -b|--branch= -f|--force --name= --reference=< --ref-format= --depth= --progress"),
	gitSweeps("submodule update|init|deinit|sync|set-branch|set-url|absorbgitdirs", "w*", "-q|--quiet -v|--verbose --init -f|--force --all --remote -N|--no-fetch --checkout --merge --rebase --recommend-shallow --no-recommend-shallow --reference=< --dissociate --no-single-branch --single-branch --filter= --ref-format= --recursive -j|--jobs= --depth= --progress -b|--branch= -d|--default"),
	gitGroup("sparse-checkout", ""),
	gitNames("sparse-checkout list", "", "git sparse-checkout list reads", ""),
	gitSweeps("sparse-checkout init|set|add|reapply|disable|check-rules|clean", "t*", "--cone --no-cone --sparse-index --no-sparse-index --stdin --skip-checks -z --rules-file=< --end-of-options"),
	gitGroup("bundle", ""),
	gitReads("bundle verify|list-heads", "r t*", "git bundle reads", "-q|--quiet"),
	gitActs("bundle create", "w t*", gitWalk+" -q|--quiet --all-progress --all-progress-implied --version="),
	gitActs("bundle unbundle", "r t*", "--progress"),

	// Other version control systems. The programs run by their options are known; none of their
	// commands is known to only read.
	{Name: "svn", Verb: true, Version: "--version help", Operands: "t r*", Options: "-m|--message= -F|--file=< -r|--revision= -c|--change= -q|--quiet -v|--verbose -N|--non-recursive -R|--recursive -u|--show-updates -g|--use-merge-history --depth= --set-depth= --diff --diff-cmd=$ --diff3-cmd=$ --editor-cmd=$ -x|--extensions= --config-option= --config-dir=< --username= --password= --password-from-stdin --force --force-log --no-auth-cache --non-interactive --trust-server-cert --trust-server-cert-failures= --targets=< --xml --incremental -l|--limit= --stop-on-copy --summarize --accept= --ignore-externals --no-ignore --parents --strict --old= --new= --cl|--changelist= --dry-run --show-item= --no-newline --internal-diff --git --patch-compatible -h|--help --version"},
	{Name: "hg|chg", Verb: true, Operands: "t r*", Options: "-m|--message= -l|--logfile=< -R|--repository=< --cwd=< --config= -e|--ssh=$ --remotecmd=$ -r|--rev= -q|--quiet -v|--verbose -y|--noninteractive -b|--branch= -d|--date= -u|--user= -t|--tool= -A|--addremove --amend -n|--dry-run -I|--include= -X|--exclude= -T|--template= --command=$ --debugger --debug --traceback --encoding= --pager= --color= --stat -h|--help --version"},
	{Name: "jj", Verb: true, Version: "--version -V", Operands: "t r*", Options: "-m|--message= -r|--revision|--revisions= -R|--repository=< --config= --config-file=< --config-toml= --tool= -T|--template= --at-operation|--at-op= --ignore-working-copy --ignore-immutable --no-pager --color= --quiet --debug -s|--summary --stat --git -i|--interactive --from= --to= --into= -d|--destination= -B|--insert-before= -A|--insert-after= -n|--limit= -p|--patch -h|--help -V|--version"},
}
