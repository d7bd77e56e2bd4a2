package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// The parts of CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/) that a Go binary needs.
type (
	bom struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl,omitempty"`
	}
)

// sbom makes callgate_VERSION_OS_ARCH.cdx.json from the list of modules that the linker
// wrote into the binary.
func (r *release) sbom(t target) error {
	info, err := buildinfo.ReadFile(t.binary)
	if err != nil {
		return err
	}
	list := bom{
		Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata:   metadata{r.made.Format(time.RFC3339), component{Type: "application", Name: info.Main.Path, Version: r.version, PURL: "pkg:golang/" + info.Main.Path + "@v" + r.version}},
		Components: []component{{Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion[len("go"):]}},
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list.Components = append(list.Components, component{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version})
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, "callgate_"+r.version+"_"+t.os+"_"+t.arch+".cdx.json"), append(data, '\n'), 0o644)
}
