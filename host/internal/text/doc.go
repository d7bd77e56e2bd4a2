// Package text is the room of texts that are read strictly or written for people: JSON
// (strictjson, jsonschema), YAML (strictyaml, yamltext), words for a shell (shellword) and the
// name that was probably meant (didyoumean). Its parts import nothing of ours but one another;
// everybody may call them.
package text
