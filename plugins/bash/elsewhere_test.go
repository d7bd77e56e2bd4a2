package bash_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

// readings are lines only reading at a place, with its rule.
var readings = []struct{ rule, line string }{
	{"ssh web1: read", "ssh web1 uptime"},
	{"ssh web1: read", "ssh web1 'df -h && free -m'"},
	{"ssh web1: read", `ssh -o ConnectTimeout=5 -o BatchMode=yes web1 "tail -100 /var/log/app.log | grep ERROR"`},
	{"ssh root@10.0.0.4: read", "ssh -i ~/.ssh/deploy root@10.0.0.4 'ls -la /srv; cat /srv/app/config.json'"},
	{"ssh -p 2222 web1: read", "ssh -p 2222 web1 'cat /etc/hosts'"},
	{"ssh web1: read", "timeout 30 ssh web1 uptime"},
	{"ssh web1: read", "cd src && ssh web1 uptime | head -3"},
	{"aws --profile dev: read", "aws --profile dev ec2 describe-instances --filters Name=tag:Name,Values=web --query 'Reservations[].Instances[].State'"},
	{"aws --profile dev: read", "aws ecs describe-services --cluster c --services api --profile=dev --region eu-west-1 --output json"},
	{"aws --profile dev: read", "AWS_PROFILE=dev aws s3 ls s3://bucket/a --recursive"},
	{"aws --profile dev: read", "export AWS_PROFILE=dev && aws logs tail /ecs/api --since 1h"},
	{"aws --profile dev: read", "export AWS_PROFILE=dev; aws sts get-caller-identity; aws iam list-roles | jq -r '.Roles[].RoleName'"},
	{"aws --profile dev: read", "aws --profile dev ssm get-parameter --name /app/url"},
}

// notReadings are lines outside the rule above, for the same place.
var notReadings = []struct{ rule, line, why string }{
	{"ssh web1: read", "ssh web1", "a shell for whatever comes"},
	{"ssh web1: read", "ssh web1 rm -rf /srv", "it removes"},
	{"ssh web1: read", "ssh web1 'uptime; rm -rf /srv'", "it removes"},
	{"ssh web1: read", "ssh web1 'cat x > /etc/hosts'", "it writes"},
	{"ssh web1: read", "ssh web1 'bash -s' < x.sh", "it runs what it is sent"},
	{"ssh web1: read", "cat x.sh | ssh web1 'cat'", "it is sent something"},
	{"ssh web1: read", "timeout 30 ssh web1 cat < x.sh", "it is sent something"},
	{"ssh web1: read", "cat x.sh | timeout 30 ssh web1 cat", "it is sent something"},
	{"ssh web1: read", "ssh web1 <<'EOF'\nuptime\nEOF", "it is sent a script"},
	{"ssh web1: read", "ssh web1 sudo cat /etc/hosts", "other privileges"},
	{"ssh web1: read", "ssh web1 'cat ~/.ssh/id_rsa'", "a secret there"},
	{"ssh web1: read", "ssh web1 cat .ssh/id_ed25519", "a secret there"},
	{"ssh web1: read", "ssh web1 cat /etc/shadow", "a secret there"},
	{"ssh web1: read", "ssh web1 'cat /srv/app/.env'", "a secret there"},
	{"ssh web1: read", "ssh web1 'ssh db1 uptime'", "a further place"},
	{"ssh web1: read", "ssh web1 'curl -s http://169.254.169.254/latest/meta-data/'", "a further place"},
	{"ssh web1: read", "ssh web1 'cd /srv && git status'", "a repository's configuration runs programs"},
	{"ssh web1: read", "ssh web1 'echo $(rm x)'", "a command within"},
	{"ssh web1: read", `ssh web1 "cat $FILE"`, "a variable from here"},
	{"ssh web1: read", "ssh web2 uptime", "another host"},
	{"ssh web1: read", "ssh root@web1 uptime", "another account"},
	{"ssh web1: read", "ssh -p 2222 web1 uptime", "another server"},
	{"ssh web1: read", "ssh -l root web1 uptime", "another account"},
	{"ssh web1: read", "ssh -L 8080:db:5432 web1 uptime", "it forwards"},
	{"ssh web1: read", "ssh -R 8080:localhost:22 web1 uptime", "it forwards"},
	{"ssh web1: read", "ssh -D 1080 web1 uptime", "it forwards"},
	{"ssh web1: read", "ssh -A web1 uptime", "it forwards the agent"},
	{"ssh web1: read", "ssh -J evil.example web1 uptime", "by way of another host"},
	{"ssh web1: read", "ssh -o ProxyCommand=./x web1 uptime", "a program here"},
	{"ssh web1: read", "ssh -oProxyCommand=./x web1 uptime", "a program here"},
	{"ssh web1: read", "ssh -o PermitLocalCommand=yes -o LocalCommand=./x web1 uptime", "a program here"},
	{"ssh web1: read", "ssh -o 'ConnectTimeout=5 ProxyCommand=./x' web1 uptime", "two settings in one"},
	{"ssh web1: read", "ssh -o StrictHostKeyChecking=no web1 uptime", "whoever answers"},
	{"ssh web1: read", "ssh -o HostName=evil.example web1 uptime", "another host"},
	{"ssh web1: read", "ssh -F /tmp/config web1 uptime", "another configuration"},
	{"ssh web1: read", "ssh web1 -L 8080:db:5432 uptime", "options behind the host"},
	{"ssh web1: read", "ssh -f -N web1", "it stays"},
	{"ssh web1: read", "./ssh web1 uptime", "a program of the project"},
	{"ssh web1: read", "PATH=. ssh web1 uptime", "a program of the project"},
	{"ssh web1: read", "SSH_AUTH_SOCK=/tmp/x ssh web1 uptime", "variables"},
	{"ssh web1: read", "ssh web1 uptime && rm -rf src", "a second command"},
	{"ssh web1: read", "scp web1:x .", "another program"},
	{"aws --profile dev: read", "aws --profile dev ec2 terminate-instances --instance-ids i-1", "it ends machines"},
	{"aws --profile dev: read", "aws --profile prod ec2 describe-instances", "another profile"},
	{"aws --profile dev: read", "aws ec2 describe-instances", "no profile"},
	{"aws --profile dev: read", "AWS_PROFILE=prod aws ec2 describe-instances", "another profile"},
	{"aws --profile dev: read", "AWS_PROFILE=dev aws --profile prod ec2 describe-instances", "the option counts"},
	{"aws --profile dev: read", "aws --profile dev --profile prod ec2 describe-instances", "two profiles"},
	{"aws --profile dev: read", "AWS_PROFILE=dev AWS_CONFIG_FILE=./x aws ec2 describe-instances", "a configuration that runs programs"},
	{"aws --profile dev: read", "export AWS_CONFIG_FILE=./x; aws --profile dev ec2 describe-instances", "a configuration that runs programs"},
	{"aws --profile dev: read", "export AWS_PROFILE=dev && aws s3 rm s3://b/a", "it removes"},
	{"aws --profile dev: read", "false && export AWS_PROFILE=dev; aws ec2 describe-instances", "the profile may not be set"},
	{"aws --profile dev: read", "(export AWS_PROFILE=dev); aws ec2 describe-instances", "the profile is not set"},
	{"aws --profile dev: read", "export AWS_PROFILE=dev & aws ec2 describe-instances", "the profile is not set"},
	{"aws --profile dev: read", "aws --profile dev secretsmanager get-secret-value --secret-id x", "a secret"},
	{"aws --profile dev: read", "aws --profile dev ssm get-parameter --name x --with-decryption", "a secret"},
	{"aws --profile dev: read", "aws --profile dev ssm get-parameter --name x --with-dec", "a secret, shortened"},
	{"aws --profile dev: read", "aws --profile dev sts get-session-token", "keys"},
	{"aws --profile dev: read", "aws --profile dev sts assume-role --role-arn x --role-session-name y", "keys"},
	{"aws --profile dev: read", "aws --profile dev ecr get-login-password", "a password"},
	{"aws --profile dev: read", "aws --profile dev lambda list-functions", "variables of programs"},
	{"aws --profile dev: read", "aws --profile dev ecs describe-task-definition --task-definition x", "variables of programs"},
	{"aws --profile dev: read", "aws --profile dev configure export-credentials", "keys"},
	{"aws --profile dev: read", "aws --profile dev s3api get-object --bucket b --key k .bashrc", "it writes a file"},
	{"aws --profile dev: read", "aws --profile dev s3 cp s3://b/a .", "it writes a file"},
	{"aws --profile dev: read", "aws --profile dev ec2 describe-instances --endpoint-url http://evil.example", "another place"},
	{"aws --profile dev: read", "aws --profile dev ec2 describe-instances --endpoint http://evil.example", "another place, shortened"},
	{"aws --profile dev: read", "aws --profile dev ec2 describe-instances --filters file://~/.ssh/id_rsa", "it sends a file"},
	{"aws --profile dev: read", "aws --profile dev ec2 describe-instances --cli-input-json file://x", "it reads a file"},
	{"aws --profile dev: read", "aws --profile dev ec2 wait describe-x", "no such operation"},
}

// covered reports whether an allow rule covers a line.
func covered(line, rule string) bool {
	c := resolved(callOf(line))
	return len(bash.Spec.Match(c, tool.Allow, rulesOf(rule))) > 0
}

func TestElsewhere(t *testing.T) {
	t.Parallel()
	for _, tc := range readings {
		if !covered(tc.line, tc.rule) {
			t.Errorf("%s does not cover %q", tc.rule, tc.line)
		}
		if len(bash.Spec.Match(resolved(callOf(tc.line)), tool.Deny, rulesOf(tc.rule))) != 1 {
			t.Errorf("as a deny rule %s does not hold for %q", tc.rule, tc.line)
		}
		var offered []string
		for _, s := range bash.Spec.Suggest(resolved(callOf(tc.line))) {
			offered = append(offered, *s.Content)
		}
		if len(offered) == 0 || offered[0] != tc.rule {
			t.Errorf("%q: offered %q, want %s first", tc.line, offered, tc.rule)
		}
	}
	for _, tc := range notReadings {
		if covered(tc.line, tc.rule) {
			t.Errorf("%s covers %q: %s", tc.rule, tc.line, tc.why)
		}
		for _, s := range bash.Spec.Suggest(resolved(callOf(tc.line))) {
			if *s.Content == tc.rule && !strings.ContainsAny(tc.line, ";&|<") {
				t.Errorf("%q: %s is offered: %s", tc.line, tc.rule, tc.why)
			}
		}
	}
}

// TestElsewhere_writtenOtherwise: a content without a place is an exact text.
func TestElsewhere_writtenOtherwise(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		"ssh: read", "ssh -L 1: read", "ssh  web1: read", "ssh a b: read", "ssh -p x web1: read", "ssh web1:read", "ssh web1 : read", "ssh ssh://web1: read", "ssh -p 22 -oProxyCommand=x: read", "aws dev: read", "aws --profile: read",
		"aws --profile -x: read", "curl example.com: read", "ssh *: read", "ssh web*: read",
	} {
		for _, tc := range readings {
			if covered(tc.line, content) {
				t.Errorf("%q covers %q", content, tc.line)
			}
		}
	}
}

// TestElsewhere_anyOtherWordTakesItAway: words with a possible other destination, file or
// command, anywhere behind the program of a covered line.
func TestElsewhere_anyOtherWordTakesItAway(t *testing.T) {
	t.Parallel()
	var plain []int
	for i, tc := range readings {
		if !strings.ContainsAny(tc.line, `'"|&;`) {
			plain = append(plain, i)
		}
	}
	harmful := map[string][]string{
		"ssh": {"-L8080:a:1", "-R8080:a:1", "-D1080", "-A", "-Jx", "-Fx", "-oProxyCommand=x", "-Wx:1", "-w1", "-Sx", "-lx", "-Ex", "-Ix", "-M", "-N", "-f", "-t", "-Y", "-X", "-K", "-bx", "-cx", "-ex", "-g", "-G", "-Ox", "-Qx", "-s"},
		"aws": {"--endpoint-url=http://x", "--endpoint-url", "--endp", "--ca-bundle=x", "--cli-input-json=file://x", "file://x", "fileb://x", "--with-decryption", "--with-d", "--profile", "--debug", "--no-verify-ssl", "-x", "http://x"},
		"":    {"> x", "< x", "<<< x", "; rm x", "&& rm x", "& rm x", "$(rm x)", "`rm x`", "<(rm x)", "| sh", "$X", "*", "\nrm x\n"},
	}
	rapid.Check(t, func(t *rapid.T) {
		tc := readings[rapid.SampledFrom(plain).Draw(t, "line")]
		words := strings.Split(tc.line, " ")
		program := slices.IndexFunc(words, func(w string) bool { return w == "ssh" || w == "aws" })
		word := rapid.SampledFrom(slices.Concat(harmful[words[program]], harmful[""])).Draw(t, "word")
		at := rapid.IntRange(program+1, len(words)).Draw(t, "at")
		line := strings.Join(slices.Insert(slices.Clone(words), at, word), " ")
		// Behind the host it is a word of the line for the other machine and may read.
		if host := slices.IndexFunc(words, func(w string) bool { return strings.Contains(w, "web1") }); host >= 0 && at > host+1 && strings.HasPrefix(word, "-") {
			return
		}
		if covered(line, tc.rule) {
			t.Errorf("%s covers %q", tc.rule, line)
		}
	})
}
