package bash

import (
	"slices"
	"strings"
)

// splitFlag returns the name and the value of an option with "=".
func splitFlag(word string) (name, value string, joined bool) { return strings.Cut(word, "=") }

// awsFlags are the options of every aws command without influence on its destination, the files
// it reads, or its effects.
var awsFlags = map[string]flag{
	"--region": {value: true, ok: plainValue}, "--output": {value: true, ok: plainValue}, "--query": {value: true, ok: noFile}, "--color": {value: true, ok: plainValue},
	"--no-cli-pager": {}, "--no-paginate": {}, "--page-size": {value: true, ok: smallNumber}, "--max-items": {value: true, ok: smallNumber}, "--starting-token": {value: true, ok: noFile},
	"--cli-read-timeout": {value: true, ok: smallNumber}, "--cli-connect-timeout": {value: true, ok: smallNumber},
}

func plainValue(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// noFile reports whether the client takes a value as it stands, and reads no file or
// address for it.
func noFile(s string) bool { return !strings.Contains(s, "://") && !strings.Contains(s, "@=") }

// awsServices are those whose describe- and list- operations show configuration. Left out are
// services showing variables of programs and the like, a place of secrets: amplify, apprunner,
// batch, lambda, sagemaker, ...
var awsServices = []string{
	"acm", "autoscaling", "cloudformation", "cloudfront", "cloudtrail", "cloudwatch", "dynamodb", "ec2", "ecr", "ecs", "efs", "eks", "elasticache", "elb", "elbv2", "events", "iam", "kms", "logs",
	"organizations", "rds", "route53", "s3api", "secretsmanager", "sns", "sqs", "ssm", "sts",
}

// awsSecrets are exceptions among these operations: they show secrets.
var awsSecrets = map[string]bool{
	"ecs describe-task-definition": true, "ec2 describe-instance-attribute": true, "ec2 describe-launch-template-versions": true, "ec2 describe-spot-instance-requests": true, "ec2 describe-spot-fleet-requests": true,
	"ec2 describe-vpn-connections": true, "ec2 describe-import-image-tasks": true, "autoscaling describe-launch-configurations": true, "ssm describe-maintenance-window-execution-task-invocations": true,
	"ssm list-commands": true, "ssm list-command-invocations": true, "elasticache describe-users": true, "ecs describe-tasks": true,
}

// awsGets are the other read-only operations; they write no file.
var awsGets = map[string]bool{
	"sts get-caller-identity": true, "s3 ls": true,
	"iam get-user": true, "iam get-role": true, "iam get-policy": true, "iam get-policy-version": true, "iam get-role-policy": true, "iam get-user-policy": true, "iam get-group": true, "iam get-group-policy": true, "iam get-account-summary": true, "iam get-instance-profile": true,
	"s3api get-bucket-location": true, "s3api get-bucket-policy": true, "s3api get-bucket-acl": true, "s3api get-bucket-tagging": true, "s3api get-bucket-versioning": true, "s3api get-bucket-cors": true, "s3api get-bucket-encryption": true,
	"s3api get-bucket-lifecycle-configuration": true, "s3api get-bucket-logging": true, "s3api get-bucket-website": true, "s3api get-public-access-block": true, "s3api head-bucket": true, "s3api head-object": true,
	"logs get-log-events": true, "logs filter-log-events": true, "logs tail": true, "logs get-query-results": true,
	"cloudformation get-template-summary": true, "cloudwatch get-metric-data": true, "cloudwatch get-metric-statistics": true, "route53 get-hosted-zone": true, "route53 get-change": true,
	"sqs get-queue-attributes": true, "sqs get-queue-url": true, "sns get-topic-attributes": true, "kms get-key-policy": true, "ce get-cost-and-usage": true, "ssm get-parameter": true, "ssm get-parameters": true, "ssm get-parameters-by-path": true,
}

// awsReads reads the words behind aws: options of every command, a service, an operation, and
// its options. profile is an earlier exported one.
func awsReads(words []string, assigns []Assign, profile string) *elsewhere {
	e := &elsewhere{program: "aws", name: profile}
	for i, a := range assigns {
		if a.Name != "AWS_PROFILE" || a.Appends || !a.Value.Literal || i > 0 {
			return nil
		}
		e.name = a.Value.Text
	}
	fromVariable := e.name != ""
	var verbs []string
	for i := 0; i < len(words); i++ {
		name, value, joined := splitFlag(words[i])
		f, known := awsFlags[name]
		switch {
		case name == "--profile" || known && f.value:
			if !joined {
				if i++; i == len(words) || strings.HasPrefix(words[i], "-") {
					return nil
				}
				value = words[i]
			}
			if name != "--profile" {
				if !f.ok(value) {
					return nil
				}
				continue
			}
			if e.name != "" && !fromVariable {
				return nil
			}
			e.name, fromVariable = value, false // the option counts before the variable
		case known && !joined:
		case !strings.HasPrefix(words[i], "-") && len(verbs) < 2:
			verbs = append(verbs, words[i])
		case len(verbs) == 2:
			if !awsArgument(words[i]) {
				return nil
			}
		default:
			return nil
		}
	}
	if e.name == "" || !e.plain() || len(verbs) != 2 || !awsVerb(verbs[0], verbs[1]) {
		return nil
	}
	return e
}

// awsVerb reports whether an operation only reads, and shows no secrets.
func awsVerb(service, operation string) bool {
	whole := service + " " + operation
	if awsGets[whole] {
		return true
	}
	shows := strings.HasPrefix(operation, "describe-") || strings.HasPrefix(operation, "list-")
	return shows && slices.Contains(awsServices, service) && !awsSecrets[whole]
}

// awsFiles are options that read a file, show a secret or lead elsewhere. The client accepts
// abbreviations: --with-d is --with-decryption.
var awsFiles = []string{
	"--with-decryption", "--endpoint-url", "--cli-input-json", "--cli-input-yaml", "--ca-bundle", "--no-verify-ssl", "--no-sign-request", "--debug", "--profile", "--include-values", "--cli-auto-prompt", "--outfile",
}

// awsArgument reports whether a word behind an operation is one of its options, or a value,
// reading no file and showing no secret.
func awsArgument(word string) bool {
	name, _, _ := splitFlag(word)
	if strings.HasPrefix(word, "-") && (!strings.HasPrefix(word, "--") || slices.ContainsFunc(awsFiles, func(no string) bool { return strings.HasPrefix(no, name) })) {
		return false
	}
	return noFile(strings.TrimPrefix(word, "s3://")) && !strings.HasPrefix(word, "file:") && !strings.HasPrefix(word, "fileb:")
}
