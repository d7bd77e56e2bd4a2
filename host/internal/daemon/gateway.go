package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"
)

// maxGatewayConnections bounds the connections of gateways; a waiting ask holds one.
const maxGatewayConnections = 512

// openGateway opens the accepted door for gateways, if there is one.
func (d *Daemon) openGateway() error {
	at := d.Host.Accepted().Gateway.Listen
	if at == "" {
		return nil
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return fmt.Errorf("gateway.listen: %w; stop the other program, or set another port", err)
	}
	d.gateway = netutil.LimitListener(l, maxGatewayConnections)
	d.log.Info("serving gateways", "address", l.Addr().String())
	return nil
}

// serveGateway answers gateways until ctx ends: then their connections are cut, and a gateway
// without an answer refuses.
func (d *Daemon) serveGateway(ctx context.Context) {
	if d.gateway == nil {
		return
	}
	server := &http.Server{
		Handler: d.server.Gateway(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelDebug),
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // see above
	defer stop()
	if err := server.Serve(d.gateway); ctx.Err() == nil {
		d.log.Error("gateways are no longer answered, so they refuse; restart callgate serve", "error", err)
	}
}
