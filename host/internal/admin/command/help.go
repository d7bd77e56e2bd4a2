package command

// Help is the answer to /help.
const Help = `/allow, /ask, /deny            show a list
/allow RULE                    add a rule: what it matches needs no answer
/ask RULE                      what it matches is asked about each time
/deny RULE                     what it matches is refused
/deny exactly RULE             the same for a tool that Callgate does not know (/allow, /ask as well)
/allow -RULE                   take a rule off its list again (/ask, /deny as well)
/permission                    show the mode
/permission MODE               change it: default, acceptEdits, plan, bypassPermissions, trusted, dontAsk
/permissions                   show the lists, the mode and the profile
/help                          this text

A rule is a tool, for every call of it, or Tool(content):
  /ask Bash                    every command
  /allow Bash(npm install)     this command, exactly
  /allow Bash(git commit:*)    every command that begins with these words
  /allow Read(src/**/*.ts)     files: * stays in a directory, ** crosses them, ? is one character, {a,b} either
  /allow WebFetch(github.com)  this host; *.npmjs.com is its subdomains
  /ask Grep(TODO)              this search text, exactly (Glob as well)

Deny comes before ask, ask before allow, and the mode decides the rest. Give one rule
a command; a comma inside a rule belongs to it.`
