package program

import "slices"

const (
	ghAll  = " -R|--repo= -h|--help -w|--web!"
	ghShow = " -q|--jq= --json= -t|--template="
	// ghList are the options for listing issues, pull requests, runs.
	ghList = ghShow + " -L|--limit= -s|--state= -S|--search= -a|--assignee= -A|--author= -l|--label= --app="
	awsAll = " --region= --profile= --output= --endpoint-url=~ --query= --no-cli-pager --debug --no-verify-ssl --no-paginate --color= --no-sign-request --ca-bundle=<~ --cli-read-timeout= --cli-connect-timeout= --cli-binary-format= --no-cli-auto-prompt --cli-auto-prompt --page-size= --max-items= --starting-token="
	gcpAll = " --project= --format= --account= --zone= --region= --configuration= --filter= -q|--quiet --verbosity= --impersonate-service-account= --billing-project= --access-token-file=<!~ --flags-file=<!~ --flatten= --limit= --log-http --no-user-output-enabled --sort-by= --page-size= --trace-token= --location="
)

// cloudRows are the clients of hosted services.
var cloudRows = slices.Concat(
	family(Row{Name: "gh", Helps: true, Fetches: true, Verb: true, Unless: ghStays, Version: "--version version --help -h help", Options: " --version"}, ghAll,
		reading("repo view", "t?", ghShow+" -b|--branch="),
		naming("repo list", "t?", ghShow+" -L|--limit= --archived --fork --no-archived --source -l|--language= --topic= --visibility="),
		reading("issue list|ls", "", ghList+" -m|--milestone= --mention="),
		reading("issue view", "t", ghShow+" -c|--comments"),
		reading("issue status", "", ghShow),
		reading("pr list|ls", "", ghList+" -d|--draft -B|--base= -H|--head="),
		reading("pr view", "t?", ghShow+" -c|--comments"),
		reading("pr diff", "t?", " --color= --name-only --patch -e|--exclude="),
		reading("pr checks", "t?", ghShow+" --required --watch -i|--interval= --fail-fast"),
		reading("pr status", "", ghShow+" -c|--conflict-status"),
		reading("status", "", " -e|--exclude= -o|--org="),
		reading("run list|ls", "", ghShow+" -a|--all -b|--branch= -c|--commit= --created= -e|--event= -L|--limit= -s|--status= -u|--user= -w|--workflow="),
		reading("run view", "t?", ghShow+" -v|--verbose -a|--attempt= -j|--job= --log --log-failed --exit-status"),
		naming("run watch", "t", " --compact --exit-status -i|--interval="),
		reading("release list|ls", "", ghShow+" -L|--limit= --exclude-drafts --exclude-pre-releases -O|--order="),
		reading("release view", "t?", ghShow),
		naming("workflow list|ls", "", ghShow+" -a|--all -L|--limit="), reading("workflow view", "t", " -r|--ref= -y|--yaml"),
		naming("gist list|ls", "", " -L|--limit= --public --secret --filter= --include-content"), reading("gist view", "t", " -f|--filename= --files -r|--raw"),
		naming("label list|ls", "", ghShow+" -L|--limit= -S|--search= --order= --sort="),
		naming("secret|variable list|ls", "", ghShow+" -a|--app= -e|--env= -o|--org= -u|--user"),
		naming("cache list|ls", "", ghShow+" -L|--limit= -k|--key= -O|--order= -r|--ref= -S|--sort="),
		naming("org list|ls", "", " -L|--limit="), naming("ruleset list|ls", "", " -L|--limit= -o|--org= -p|--parents"), naming("ruleset view|check", "t?", " -o|--org= -p|--parents -b|--branch= --default"),
		naming("project list|ls", "", " --owner= -L|--limit= --closed --format= -q|--jq= -t|--template="), naming("project view|item-list|field-list", "t?", " --owner= -L|--limit= --format= -q|--jq= -t|--template= --query="),
		reading("search code|commits|issues|prs|repos", "t*", ghList+" --owner= --language= --filename= --extension= --match= --size= --sort= --order= --archived --committer= --hash= --merge --parent= --tree= --visibility= --created= --updated= --closed= --commenter= --comments= --include-prs --interactions= --involves= --locked --mentions= --milestone= --no-assignee --no-label --no-milestone --no-project --project= --reactions= --team-mentions= --base= --checks= --draft --head= --merged --merged-at= --review= --review-requested= --reviewed-by= --followers= --forks= --good-first-issues= --help-wanted-issues= --include-forks= --license= --number-topics= --stars= --topic= --author-date= --author-email= --author-name= --committer-date= --committer-email= --committer-name="),
		naming("auth status", "", " -q|--jq= --json= --template= --hostname= -h= -a|--active -t|--show-token!"),
		naming("extension list|ls", "", ""), naming("alias list|ls", "", ""), naming("config list|ls", "", " --host="), unless(ghSetting, naming("config get", "t", " --host=")), naming("ssh-key|gpg-key list|ls", "", ""), naming("codespace list|ls", "", ghShow+" -L|--limit= -o|--org= -u|--user="),
		unless(ghGets, reading("api", "t", " -q|--jq= -t|--template= --paginate --slurp -i|--include --silent --verbose --cache= -p|--preview= -H|--header= -X|--method= -f|--raw-field=! -F|--field=! --input=<! --hostname=!")),
		group("repo", ""), group("issue", ""), group("pr", ""), group("run", ""), group("release", ""), group("workflow", ""), group("gist", ""), group("label", ""), group("secret", ""), group("variable", ""), group("cache", ""), group("org", ""), group("ruleset", ""), group("project", ""), group("search", ""), group("auth", ""),
		group("extension", ""), group("alias", ""), group("config", ""), group("ssh-key", ""), group("gpg-key", ""), group("codespace", ""), group("attestation", ""),
		acting("repo clone", "t w?", " -u|--upstream-remote-name="), acting("repo create|delete|fork|edit|archive|unarchive|rename|sync|set-default|deploy-key|autolink|gitignore|license", "t*", " --public --private --internal -d|--description= -s|--source=< -y|--yes --clone --push --confirm --remote= -v|--view -b|--branch= --force"),
		meaning(ghElsewhere, acting("issue create|new|close|reopen|comment|delete|edit|develop|lock|unlock|pin|unpin|transfer", "t*", " -t|--title= -b|--body= -F|--body-file=< -a|--assignee= -l|--label= -m|--milestone= -p|--project= -c|--comment= -r|--reason= -e|--editor -T|--template= --yes --add-label= --remove-label= --add-assignee= --remove-assignee= --add-project= --remove-project= --recover=<")),
		meaning(ghElsewhere, acting("pr create|new|checkout|co|close|reopen|comment|edit|merge|ready|review|lock|unlock|update-branch|revert", "t*", " -t|--title= -b|--body= -F|--body-file=< -a|--assignee= -l|--label= -m|--milestone= -p|--project= -B|--base= -H|--head= -d|--draft -f|--fill --fill-first --fill-verbose -r|--reviewer= -e|--editor -T|--template= --dry-run --no-maintainer-edit --merge --squash -s --rebase --admin --auto --delete-branch --subject= --match-head-commit= --approve --request-changes -c|--comment --add-label= --remove-label= --add-reviewer= --remove-reviewer= --add-assignee= --remove-assignee= --add-project= --remove-project= --recover=< --force --detach --branch= --undo --yes")),
		acting("run rerun|cancel|delete|download", "t*", " --failed -j|--job= -D|--dir=/ -n|--name= -p|--pattern= -d|--debug"), acting("release create|delete|download|edit|upload|delete-asset|verify|verify-asset", "t r*", " -t|--title= -n|--notes= -F|--notes-file=< -d|--draft -p|--prerelease=? --target= --generate-notes --latest=? --verify-tag -y|--yes --cleanup-tag -D|--dir=/ -O|--output=> --pattern= --clobber --skip-existing -A|--archive= --discussion-category="),
		acting("workflow run|enable|disable", "t*", " -f|--raw-field= -F|--field= -r|--ref= --json"), acting("gist create|new|clone|delete|edit|rename", "r*", " -d|--desc= -f|--filename= -p|--public -a|--add=< -r|--remove="),
		acting("auth login|logout|refresh|setup-git|token|switch", "t*", " --hostname= --with-token -s|--scopes= -p|--git-protocol= --insecure-storage --skip-ssh-key -u|--user="), acting("secret|variable set|delete|remove", "t*", " -b|--body= -f|--env-file=< -e|--env= -o|--org= -a|--app= -u|--user -v|--visibility= -r|--repos="), acting("variable get", "t", ghShow+" -e|--env= -o|--org="),
		verbs("alias set|delete|import", "t*", " -s|--shell --clobber"), verbs("extension install|remove|upgrade|exec|create|browse|search", "t*", " --force --pin= --all"), acting("config set|clear-cache", "t*", " --host="),
		acting("browse|completion|copilot|agent-task|preview|classroom|models", "t*", " -b|--branch= -c|--commit= -n|--no-browser -p|--projects -s|--settings --shell="),
	),
	family(Row{Name: "glab", Verb: true, Unless: ghStays, Version: "--version version -v"}, " -R|--repo= -h|--help -w|--web!",
		reading("mr list|ls", "", " -a|--assignee= --author= -l|--label= -m|--milestone= -s|--source-branch= -t|--target-branch= -A|--all -c|--closed -M|--merged -d|--draft -p|--page= -P|--per-page= -F|--output= --search= -g|--group= -r|--reviewer="), reading("mr view|show", "t?", " -c|--comments -s|--system-logs -F|--output= -p|--page= -P|--per-page="), reading("mr diff", "t?", " --color= --raw"),
		reading("issue list|ls", "", " -a|--assignee= --author= -l|--label= -m|--milestone= -A|--all -c|--closed -p|--page= -P|--per-page= -F|--output= --search= -O|--output-format="), reading("issue view|show", "t", " -c|--comments -s|--system-logs -F|--output="),
		reading("ci list|ls|status|get", "", " -b|--branch= -s|--status= -p|--page= -P|--per-page= -F|--output= -l|--live! -c|--compact -d|--with-job-details"), reading("repo view", "t?", " -b|--branch= -F|--output="), reading("release list|ls", "", " -p|--page= -P|--per-page="), reading("release view", "t?", ""),
		group("mr", ""), group("issue", ""), group("ci", ""), group("repo", ""), group("release", ""), group("pipeline", "")),
	family(Row{Name: "aws", Verb: true, Version: "--version", Options: " --version"}, awsAll,
		group("s3|s3api|ec2|iam|sts|lambda|ecs|ecr|eks|rds|dynamodb|cloudformation|cloudfront|cloudwatch|logs|route53|secretsmanager|ssm|sqs|sns|kms|configure|sso|apigateway|apigatewayv2|autoscaling|elb|elbv2|elasticache|elasticbeanstalk|events|stepfunctions|glue|athena|redshift|emr|batch|codebuild|codecommit|codedeploy|codepipeline|cognito-idp|acm|organizations|ce|support|opensearch|kinesis|firehose|sagemaker|bedrock|bedrock-runtime|amplify|apprunner|backup|budgets|efs|fsx|guardduty|inspector2|securityhub|wafv2|workspaces|xray", ""),
		fetching(acting("s3 cp|mv|sync", "r w", " --recursive --exclude= --include= --acl= --dryrun --delete --quiet --storage-class= --sse=? --content-type= --no-progress --follow-symlinks --no-follow-symlinks --cache-control= --metadata=")), acting("s3 ls|rm|mb|rb|presign|website", "t*", " --recursive --human-readable --summarize --force --dryrun --expires-in= --exclude= --include="),
		naming("configure list|list-profiles", "", ""), acting("configure get|set|import|sso|add-model|export-credentials", "t*", "")),
	family(Row{Name: "gcloud|gsutil|bq", Verb: true, Version: "gcloud,gsutil,bq:--version gcloud:-v,version gsutil:version bq:version", Options: " -v|--version -h|--help"}, gcpAll,
		naming("config list", "t*", " --all"), unless(ghSetting, naming("config get-value|get", "t", "")), naming("config configurations list", "", ""), naming("auth list", "", " --filter-account="), naming("info|version", "", " --run-diagnostics! --show-log! --anonymize"), naming("projects list", "", ""),
		group("config", ""), group("config configurations", ""), group("auth", ""), group("projects", ""),
		group("compute|container|run|functions|app|sql|iam|storage|pubsub|dns|builds|artifacts|secrets|kms|logging|monitoring|services|deploy|dataproc|dataflow|redis|firestore|scheduler|tasks|workflows|endpoints|beta|alpha|components|organizations|resource-manager|billing", ""), group("compute instances|disks|networks|firewall-rules|ssh-keys|addresses|images|snapshots|zones|regions", ""), group("container clusters|images|node-pools", ""), group("run services|jobs|revisions", "")),
	family(Row{Name: "az", Verb: true, Version: "--version version"}, " -o|--output= --query= --subscription= -g|--resource-group= -n|--name= --verbose --debug --only-show-errors -h|--help",
		group("account", ""), group("vm|aks|acr|webapp|functionapp|storage|keyvault|network|group|ad|sql|cosmosdb|monitor|role|deployment|appservice|container|containerapp|devops|repos|pipelines|boards|config|extension", "")),
	[]Row{
		{Name: "heroku|vercel|vc|now|fly|flyctl|doctl|wrangler|netlify|ntl|firebase|supabase|railway|render|stripe|twilio|ngrok|cloudflared|pulumi|cdk|sam|serverless|sls|eb|amplify|copilot|oci|ibmcloud|linode-cli|hcloud|scw|exo|civo|vultr-cli|upctl|databricks|snow|dbt|cf|mc|s3cmd|s5cmd|rclone|azcopy|gam|tea|hub|jira|acli|linear|slack|sentry-cli|newrelic|datadog-ci|bw|pass|lpass|akeyless|circleci|travis|buildkite-agent|drone|woodpecker-cli|bk|act|tfc|checkov|tfsec|terrascan|infracost|atlas|neonctl|pscale|turso|planetscale|convex|clerk|auth0|okta|shopify|contentful|sanity|eas|appcenter|bitrise|codemagic", Verb: true, Version: "heroku,vercel,flyctl,doctl,wrangler,netlify,firebase,supabase,stripe,ngrok,cloudflared,pulumi,cdk,sam,oci,hcloud,databricks,rclone,s3cmd,s5cmd,sentry-cli,bw,act,tfsec,infracost:--version heroku:version fly:version flyctl:version doctl:version stripe:version ngrok:version pulumi:version rclone:version vercel:-v wrangler:-v supabase:-v", Operands: "t*", Options: "-h|--help -o|--output=> -f|--file=<"},
	},
)
