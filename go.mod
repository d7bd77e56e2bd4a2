module github.com/callgate/callgate

go 1.26
