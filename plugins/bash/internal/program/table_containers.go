package program

import "slices"

const (
	dockerRun = " -a|--attach= --add-host= --annotation= --blkio-weight= --cap-add= --cap-drop= --cgroup-parent= --cgroupns= --cidfile=> --cpu-period= --cpu-quota= --cpu-shares= -c= --cpus= --cpuset-cpus= --cpuset-mems= -d|--detach --detach-keys= --device= --disable-content-trust --dns= --dns-option= --dns-search= --domainname=" +
		" --entrypoint=$ -e|--env= --env-file=< --expose= --gpus= --group-add= --health-cmd= --health-interval= --health-retries= --health-timeout= -h|--hostname= --init -i|--interactive --ip= --ip6= --ipc= --isolation= --kernel-memory= -l|--label= --label-file=< --link= --log-driver= --log-opt= --mac-address= -m|--memory= --memory-swap= --memory-reservation=" +
		" --mount= --name= --network|--net= --network-alias= --no-healthcheck --oom-kill-disable --pid= --pids-limit= --platform= --privileged -p|--publish= -P|--publish-all --pull= -q|--quiet --read-only --restart= --rm --runtime= --security-opt= --shm-size= --sig-proxy= --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= -t|--tty --ulimit= -u|--user= --userns= --uts= -v|--volume= --volume-driver= --volumes-from= -w|--workdir= --pod= --replace"
	dockerBuild = " --add-host= --allow=~ --annotation= --attest= --build-arg= --build-context=~ --builder=~ --cache-from= --cache-to=~ --call= --cgroup-parent= --check -f|--file=< --iidfile=> --label= --load --metadata-file=> --network= --no-cache --no-cache-filter= -o|--output=/~ --platform= --progress= --provenance= --pull --push~ -q|--quiet --sbom= --secret=~ --shm-size= --squash --ssh=~ -t|--tag= --target= --ulimit= -m|--memory= --rm --force-rm --compress --isolation="
	composeAll  = " -f|--file=<~ -p|--project-name= --profile= --env-file=<~ --project-directory=<~ --ansi= --progress= --parallel= --compatibility --all-resources --dry-run --verbose --no-ansi -H|--host=!~ -c|--context=!~ --tls! --tlscacert=!~ --tlscert=!~ --tlskey=!~ --tlsverify!"
	kubeHeeds   = "kubeconfig: users[].exec, auth-provider"
	kubeAll     = " -n|--namespace= --context= --cluster= --user= --request-timeout= -v|--v= --kubeconfig=<!~ -s|--server=!~ --token=!~ --as=!~ --as-group=!~ --as-uid=!~ --username=!~ --password=!~ --certificate-authority=<!~ --client-certificate=<!~ --client-key=<!~ --insecure-skip-tls-verify!~ --tls-server-name=!~ --cache-dir=/! --profile=! --profile-output=> --log-file=> --kuberc=<!~ --match-server-version --warnings-as-errors --disable-compression -h|--help"
	kubeShow    = " -o|--output= --show-labels --show-kind --no-headers --sort-by= -l|--selector= --field-selector= -L|--label-columns= -A|--all-namespaces -w|--watch --watch-only --output-watch-events --chunk-size= --ignore-not-found --server-print=? --subresource= --template= --allow-missing-template-keys=? --show-managed-fields --use-openapi-print-columns -R|--recursive -f|--filename=<! -k|--kustomize=<! --raw=! --output-lines="
	helmAll     = " -n|--namespace= --kube-context= --debug --burst-limit= --qps= --kubeconfig=<!~ --kube-apiserver=!~ --kube-token=!~ --kube-as-user=!~ --kube-as-group=!~ --kube-ca-file=<!~ --kube-insecure-skip-tls-verify! --kube-tls-server-name=! --registry-config=<!~ --repository-cache=/! --repository-config=<!~ --content-cache=/! -h|--help --color="
)

// containerRows are containers and clusters.
var containerRows = slices.Concat(
	family(Row{Name: "docker|podman|nerdctl", Helps: true, Chooses: Named, Verb: true, AsksIf: containerAsks, Version: "--version --help docker:-v,version,info podman:-v,version,info nerdctl:-v,version,info",
		Options: " -v|--version --help -H|--host=!~ -c|--context=!~ --config=/!~ -D|--debug -l|--log-level= --tls! --tlscacert=! --tlscert=! --tlskey=! --tlsverify! --url=!~ --connection=!~ --remote! -r! --root=!~ --runroot=!~ --runtime=!~ --storage-driver=! --storage-opt=!~ --hooks-dir=!~ --conmon=!~ --cgroup-manager=! --identity=!~ --module=!~ --namespace=! -n=! -a|--address=!~ --data-root=!~ --snapshotter=!"}, "",
		naming("ps", "", " -a|--all -f|--filter= --format= -n|--last= -l|--latest --no-trunc -q|--quiet -s|--size --noheading --pod -p --sort= --ns --external --sync! -w|--watch="),
		naming("images", "t?", " -a|--all --digests -f|--filter= --format= --no-trunc -q|--quiet --tree --noheading -n --sort= --history"),
		unless(noEnvironment, reading("inspect", "t*", " -f|--format= -s|--size --type= -l|--latest")),
		reading("logs", "t*", " --details -f|--follow --since= -n|--tail= -t|--timestamps --until= --names --color -l|--latest"),
		naming("version|info", "", " -f|--format= --client"),
		naming("top", "t", " -l|--latest"),
		naming("stats", "t*", " -a|--all --format= --no-stream --no-trunc -l|--latest --no-reset -i|--interval="),
		naming("port", "t t?", " -a|--all -l|--latest"),
		naming("diff", "t*", " --format= -l|--latest"),
		naming("history", "t", " --format= -H|--human=? --no-trunc -q|--quiet --platform="),
		naming("events", "", " -f|--filter= --format= --since= --until= --stream=? --no-trunc"),
		naming("container ls|list|ps", "", " -a|--all -f|--filter= --format= -n|--last= -l|--latest --no-trunc -q|--quiet -s|--size"),
		naming("image ls|list", "t?", " -a|--all --digests -f|--filter= --format= --no-trunc -q|--quiet --tree"),
		naming("image history", "t", " --format= -H|--human=? --no-trunc -q|--quiet"),
		naming("container top", "t", ""),
		naming("container port|diff|stats", "t*", " -a|--all --format= --no-stream --no-trunc"),
		reading("container logs", "t*", " --details -f|--follow --since= -n|--tail= -t|--timestamps --until="),
		reading("container|image|volume|network inspect", "t*", " -f|--format= -s|--size -v|--verbose --platform="),
		naming("network|volume|context|plugin ls|list", "", " -f|--filter= --format= --no-trunc -q|--quiet --cluster -n"),
		naming("context show", "", ""),
		naming("system df|info", "", " -v|--verbose --format= -f="),
		naming("buildx ls|version|du", "", " --format= --no-trunc --filter= --verbose"),
		naming("node|service|stack|config|secret ls|list", "", " -f|--filter= --format= -q|--quiet"),
		naming("service|stack ps", "t*", " -f|--filter= --format= --no-trunc --no-resolve -q|--quiet"),
		group("container", ""), group("image", ""), group("volume", ""), group("network", ""), group("context", ""), group("plugin", ""), group("system", ""), group("buildx", " --builder= -D|--debug"),
		group("node", ""), group("service", ""), group("stack", ""), group("config", ""), group("secret", ""), group("swarm", ""), group("builder", ""), group("trust", ""), group("manifest", ""), group("machine", ""), group("pod", ""), group("generate", ""), group("kube", ""),
		mounting(stopping(acting("run|create", "t c", dockerRun))), mounting(stopping(acting("container run|create", "t c", dockerRun))),
		stopping(acting("exec", "t c", " -d|--detach --detach-keys= -e|--env= --env-file=< -i|--interactive --privileged -t|--tty -u|--user= -w|--workdir= -l|--latest")),
		stopping(acting("container exec", "t c", " -d|--detach --detach-keys= -e|--env= --env-file=< -i|--interactive --privileged -t|--tty -u|--user= -w|--workdir=")),
		acting("build", "r?", dockerBuild), acting("buildx build|b", "r?", dockerBuild), acting("image build", "r?", dockerBuild), acting("buildx bake", "t*", " -f|--file=<~ --set=~ --load --push~ --print --no-cache --progress= --metadata-file=>"),
		stopping(acting("service create", "t c", " -d|--detach -e|--env= --name= --replicas= --network= -p|--publish= --mount= -l|--label= -q|--quiet --constraint= --mode= --secret= --config= -u|--user= -w|--workdir= --entrypoint=$ --health-cmd=$ --with-registry-auth --restart-condition= --limit-cpu= --limit-memory= -t|--tty --update-delay= --update-parallelism=")),
		dockerCopies("cp"), dockerCopies("container cp"),
		acting("save|export", "t*", " -o|--output=> --platform= --format= --compress -q|--quiet"), acting("image save", "t*", " -o|--output=> --platform="), acting("container export", "t", " -o|--output=>"),
		stopping(acting("unshare", "c", " --rootless-netns")),
		acting("load", "", " -i|--input=< -q|--quiet --platform="), acting("import", "r t?", " -c|--change= -m|--message= --platform="),
		acting("rm|rmi|stop|start|restart|kill|pause|unpause|rename|update|wait|attach|commit|tag|pull|push|login|logout|search|init|scout|debug|sbom|mcp|model|ai|offload|sandbox|extension|desktop|cagent|mount|unmount|umount|untag|healthcheck|play|auto-update|apply", "t*", " -f|--force -v|--volumes -a|--all -t|--time|--timeout= -s|--signal= -i|--interactive -q|--quiet -u|--username= -p|--password= --password-stdin --platform= -m|--message= --filter= --no-trunc --limit= --format= -l|--link --no-prune -c|--change="),
		acting("container rm|stop|start|restart|kill|pause|unpause|rename|update|wait|attach|commit|prune|remove", "t*", " -f|--force -v|--volumes -t|--time= --filter="), acting("image rm|prune|tag|pull|push|load|import|remove", "t*", " -f|--force -a|--all --filter= -i|--input=<"),
		acting("volume|network create|rm|remove|prune|connect|disconnect|update", "t*", " -f|--force -a|--all --filter= -d|--driver= -o|--opt= --name= --label="), acting("system prune|events|dial-stdio|migrate|reset|renumber|service", "t*", " -f|--force -a|--all --volumes --filter="),
		acting("context create|rm|use|update|export|import|inspect", "t*", ""),
	),
	composeRows("docker|podman|nerdctl compose", ""), composeRows("docker-compose|podman-compose", "docker-compose:version,--version,-v podman-compose:version,--version"),
	family(Row{Name: "kubectl|k|oc|kubecolor|microk8s.kubectl", Chooses: Named, Verb: true, Helps: true, Version: "kubectl,oc:--help kubectl:-h", Repo: true, Heeds: kubeHeeds, Options: " "}, kubeAll,
		unless(kubeShows, reading("get", "t*", kubeShow)),
		unless(kubeShows, naming("describe", "t*", " -l|--selector= -A|--all-namespaces --show-events=? --chunk-size= -f|--filename=<! -k|--kustomize=<! -R|--recursive")),
		reading("logs", "t*", " -c|--container= -f|--follow -l|--selector= -p|--previous --since= --since-time= --tail= --timestamps --all-containers=? --all-pods=? --limit-bytes= --prefix --ignore-errors --max-log-requests= --pod-running-timeout= --insecure-skip-tls-verify-backend!"),
		naming("top", "t*", " -l|--selector= -A|--all-namespaces --containers --no-headers --sort-by= --field-selector= --sum --use-protocol-buffers=? --show-capacity --show-swap"),
		naming("version", "", " --client=? -o|--output= --short"),
		naming("explain", "t", " --api-version= -o|--output= --recursive=?"),
		naming("api-resources", "", " --api-group= --cached --categories= --namespaced=? --no-headers -o|--output= --show-labels --sort-by= --verbs="),
		naming("api-versions|options|help", "t*", ""),
		naming("cluster-info", "", ""), acting("cluster-info dump", "t*", " --output-directory=/ -A|--all-namespaces --namespaces= -o|--output="),
		naming("events", "", " -A|--all-namespaces --for= --types= -w|--watch --no-headers -o|--output= --chunk-size= --template= --show-managed-fields"),
		naming("config view", "", " --flatten! --merge=? --minify --raw! -o|--output= --template= --show-managed-fields"),
		naming("config get-contexts|current-context|get-clusters|get-users", "t?", " --no-headers -o|--output="),
		naming("auth can-i|whoami", "t*", " -A|--all-namespaces --list --no-headers -q|--quiet --subresource= -o|--output="),
		naming("rollout status|history", "t*", " -w|--watch=? --timeout= --revision= -l|--selector= -o|--output= -f|--filename=<! -k|--kustomize=<! -R|--recursive"),
		group("config", ""), group("auth", ""), group("rollout", ""), group("certificate", ""), group("plugin", ""), group("set", ""), group("create", " -f|--filename=< -k|--kustomize=< --dry-run=? -o|--output= --edit --save-config -R"),
		acting("config use-context|use|set|set-cluster|set-context|set-credentials|unset|delete-cluster|delete-context|delete-user|rename-context", "t*", " --current --server= --token="), acting("rollout restart|undo|pause|resume", "t*", " -l|--selector= --to-revision= -f|--filename=<"), acting("auth reconcile", "t*", " -f|--filename=<"),
		acting("apply|delete|replace|patch|edit|scale|autoscale|label|annotate|taint|cordon|uncordon|drain|expose|wait|diff|kustomize|convert|port-forward|proxy|attach|debug|completion|alpha|adm|new-app|start-build|login|logout|project|projects|new-project|rsh|rsync|status|policy|process|tag|import-image|whoami|observe|krew", "t*", " -f|--filename=< -k|--kustomize=< -l|--selector= --all --force --grace-period= --cascade=? --now --wait=? --timeout= --dry-run=? -o|--output= --server-side --prune --replicas= --overwrite --type= -p|--patch= --patch-file=< --ignore-daemonsets --delete-emptydir-data --port= --target-port= --address= -R|--recursive --validate=? --field-manager= --image= -i|--stdin -t|--tty -c|--container= --for= --record"),
		stopping(acting("exec", "t c", " -c|--container= -i|--stdin -t|--tty -q|--quiet -f|--filename=<")), stopping(acting("run", "t c", " --image= --command --env= -i|--stdin -t|--tty --rm --restart= --dry-run=? -o|--output= --port= -l|--labels= --overrides= --attach -q|--quiet")),
		kubeCopies("cp"),
	),
	family(Row{Name: "helm", Chooses: Named, Verb: true, Helps: true, Version: "--help -h", Repo: true, Heeds: kubeHeeds + "; helm plugins", Options: " "}, helmAll,
		naming("list|ls", "", " -A|--all-namespaces -a|--all -o|--output= -f|--filter= -l|--selector= -m|--max= --offset= -q|--short -r|--reverse -d|--date --deployed --failed --pending --superseded --uninstalled --uninstalling --no-headers --time-format="),
		naming("status", "t", " -o|--output= --revision= --show-desc --show-resources"), naming("history|hist", "t", " -o|--output= --max="), naming("version", "", " --short --template= -c|--client"), naming("env", "t?", ""),
		naming("get notes|metadata", "t", " --revision= -o|--output="), naming("repo list|ls", "", " -o|--output= --no-headers"), naming("plugin list|ls", "", ""), naming("search repo", "t*", " -l|--versions -o|--output= -r|--regexp --devel --version= --max-col-width= --fail-on-no-result"), naming("help", "t*", ""),
		group("get", ""), group("repo", ""), group("plugin", ""), group("search", ""), group("registry", ""), group("dependency", ""), group("show", ""),
		acting("get values|manifest|all|hooks", "t", " --revision= -a|--all -o|--output="), acting("search hub", "t*", ""), acting("repo add|remove|rm|update|index", "t*", " --username= --password="), acting("dependency update|build|list", "r?", ""), acting("show all|chart|readme|values|crds", "t*", " --version= --repo="),
		acting("install|upgrade|uninstall|delete|rollback|template|lint|package|create|pull|fetch|push|test|verify|completion|secrets|diff|s3|unittest|dep|inspect|login", "t*", " -f|--values=< --set= --set-string= --set-file= --set-json= --version= --repo=~ --dry-run=? --wait --timeout= -i|--install --atomic --create-namespace --post-renderer=$ --output-dir=/ -d|--destination=/ --untar --untardir=/ --force --reuse-values --generate-name -g --devel --verify"),
	),
	family(Row{Name: "minikube", Verb: true, Options: " -p|--profile= --alsologtostderr -v|--v= --rootless -h|--help"}, "",
		naming("status", "", " -o|--output= -f|--format= -l|--layout= -n|--node= -p|--profile= -w|--watch=?"), naming("version|ip", "", " --short -o|--output= --components -n|--node= -p|--profile="), naming("profile list", "", " -o|--output= -l|--light"), group("profile", "")),
	family(Row{Name: "kind", Verb: true, Options: " -q|--quiet -v|--verbosity= -h|--help", Version: "--version version"}, "",
		naming("get clusters|nodes", "", " --name= -A|--all-clusters"), naming("version", "", " -q"), group("get", ""), acting("get kubeconfig", "", " --name= --internal"), acting("create|delete|load|export|build|completion", "t*", " --name= --config=< --image= --kubeconfig=> --wait= --retain")),
	[]Row{
		{Name: "k9s|lazydocker|ctop|dry|dive|lazygit|tig|gitui", Terminal: true, Told: "version --version -v --help -h info", Version: "lazygit,lazydocker,tig,gitui,dive:--version k9s:version tig:-v lazygit:-v", Operands: "t*", Options: "-n|--namespace= --context= -c|--command= --readonly --kubeconfig=<~ -h|--help -v|--version"},
		{Name: "vagrant|multipass|colima|limactl|buildah|skopeo|crictl|ctr|k3d|k3s|kustomize|argocd|flux|istioctl|linkerd|kops|eksctl|velero|stern|kubectx|kubens|kubeadm|nomad|consul|vault|packer|waypoint|boundary|orb|distrobox|toolbox|lxc|lxd|incus|machinectl|virsh|virt-install|qemu-img|VBoxManage|vmrun|prlctl|crane|oras|cosign|trivy|grype|syft|hadolint-docker|telepresence|devspace|okteto|garden|rancher|kompose|kubeseal|kubeconform|kubeval|werf|helmfile|conftest|opa", Verb: true, Version: "vagrant,buildah,skopeo,crictl,limactl,colima,trivy,syft,grype,vault,consul,nomad,virsh,qemu-img,lxc,conftest,helmfile,k3d:--version kustomize:version vault:version consul:version nomad:version kops:version eksctl:version k3d:version multipass:version opa:version cosign:version crane:version colima:version", Operands: "t*", Options: "-o|--output=> -f|--file=< -n|--namespace= -h|--help"},
	},
)

// composeRows are docker compose under one of its names.
func composeRows(name, version string) []Row {
	return family(Row{Name: name, Chooses: Named, Verb: true, AsksIf: containerAsks, Version: version, VersionAlone: "docker compose version(1): no compose file is read", Project: true, Unless: composeLocal, Options: " -v|--version -h|--help"}, composeAll,
		naming("ps", "t*", " -a|--all --filter= --format= --no-trunc --orphans=? -q|--quiet --services --status="),
		naming("ls", "", " -a|--all --filter= --format= -q|--quiet"), naming("images|top|port|stats|volumes", "t*", " --format= -q|--quiet --index= --protocol= -a|--all --no-stream --no-trunc"), naming("version", "", " -f|--format= --short"),
		reading("logs", "t*", " -f|--follow --index= --no-color --no-log-prefix --since= -n|--tail= -t|--timestamps --until="),
		unless(needs("-q", "--services", "--images", "--volumes", "--profiles", "--networks"), naming("config|convert", "t*", " -q|--quiet --services --images --volumes --profiles --networks --hash=! --environment! --format= --no-interpolate --no-normalize --no-path-resolution --no-consistency --variables! -o|--output=> --resolve-image-digests! --lock-image-digests! --models --no-env-resolution")),
		naming("events", "t*", " --json --since= --until="),
		stopping(acting("exec", "t c", " -d|--detach -e|--env= --index= -T|--no-tty --privileged -u|--user= -w|--workdir= -i -t")), stopping(acting("run", "t c", " --build --cap-add= --cap-drop= -d|--detach --entrypoint=$ -e|--env= --env-from-file=< -i|--interactive -l|--label= --name= -T|--no-TTY --no-deps -p|--publish= --pull= -q|--quiet --quiet-pull --remove-orphans --rm -P|--service-ports --use-aliases -u|--user= -v|--volume= -w|--workdir=")),
		acting("up|down|start|stop|restart|build|pull|push|create|rm|kill|pause|unpause|scale|wait|watch|attach|cp|commit|export|publish|bridge|alpha|viz|dry-run|help", "t*", " -d|--detach --build --force-recreate --no-deps --no-build --no-recreate --pull= --remove-orphans -V --rmi= -v|--volumes -t|--timeout= -s|--signal= --scale= --wait --wait-timeout= --abort-on-container-exit --exit-code-from= --attach= --no-attach= --no-log-prefix --no-start --quiet-pull -y|--yes -w|--watch --no-cache --build-arg= -q|--quiet --ignore-pull-failures --force --stop --parallel -m|--memory= -a|--all -o|--output="),
	)
}
