package main

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// account owns /data in the image, and is the one that runs there.
const account = 65532

// image makes callgate_VERSION_linux_ARCH.image.tar, which `docker load` and `podman load`
// take: the binary, the certificates of Mozilla's list, and /data for everything it keeps.
func (r *release) image(t target) error {
	binary, err := os.ReadFile(t.binary)
	if err != nil {
		return err
	}
	certificates, err := roots()
	if err != nil {
		return err
	}
	layer, err := r.layer([]file{
		{path: "usr/bin/callgate", data: binary, mode: 0o755},
		{path: "etc/ssl/certs/ca-certificates.crt", data: certificates, mode: 0o644},
		{path: "etc/passwd", data: []byte("callgate:x:65532:65532::/data:/sbin/nologin\n"), mode: 0o644},
		{path: "etc/group", data: []byte("callgate:x:65532:\n"), mode: 0o644},
		{path: "data", mode: fs.ModeDir | 0o700, owner: account},
		{path: "tmp", mode: fs.ModeDir | 0o700, owner: account},
	})
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", t.arch, v1.Time{Time: r.made}
	config.Config = v1.Config{
		Entrypoint: []string{"/usr/bin/callgate"}, Cmd: []string{"serve", "--quiet"}, User: "65532:65532", WorkingDir: "/data",
		Env:         []string{"PATH=/usr/bin", "HOME=/data", "XDG_CONFIG_HOME=/data/config", "XDG_STATE_HOME=/data/state", "XDG_CACHE_HOME=/data/cache", "XDG_RUNTIME_DIR=/data/run"},
		Volumes:     map[string]struct{}{"/data": {}},
		Healthcheck: &v1.HealthConfig{Test: []string{"CMD", "/usr/bin/callgate", "ready"}, Interval: 30 * time.Second, Timeout: 10 * time.Second, StartPeriod: time.Minute, Retries: 3},
		Labels:      map[string]string{"org.opencontainers.image.title": "callgate", "org.opencontainers.image.version": r.version, "org.opencontainers.image.licenses": "Apache-2.0"},
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	tag, err := name.NewTag("callgate:" + r.version)
	if err != nil {
		return err
	}
	return tarball.WriteToFile(filepath.Join(r.out, "callgate_"+r.version+"_linux_"+t.arch+".image.tar"), tag, image)
}

func (r *release) layer(files []file) (v1.Layer, error) {
	var out bytes.Buffer
	if err := tarred(&out, files, r.made); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil })
}

// roots are the certificates that TLS connections to Discord are checked with. The ones
// whose trust Mozilla limits by date are left out: a PEM file cannot say it.
func roots() ([]byte, error) {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if _, err := x509.ParseCertificate(root.Certificate); err != nil {
			return nil, err
		}
		if err := pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}
