// Package paralleltest runs more tests at once in packages whose tests mostly wait.
package paralleltest

import (
	"flag"
	"runtime"
	"strconv"

	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// Raise raises the number of parallel tests, unless -parallel says it. TestMain calls it
// before m.Run.
func Raise() {
	each := 16 // for each core
	if raceflag.Enabled {
		each = 3 // the detector makes the rest of the time ten times as dear
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(each * runtime.GOMAXPROCS(0))) // a number
	}
}
