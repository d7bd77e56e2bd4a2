package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/store/proof"
)

// Audit says how long decisions are kept.
type Audit struct {
	// Keep is how long rows of the audit are kept, in days (90d), weeks (12w) or hours (2160h), at
	// least a day. Older ones are removed once a day; the others still verify. Default: for ever.
	Keep Kept `yaml:"keep"`
	// Witnesses sign the checkpoints of the audit too, so that later nobody can show another audit.
	// None by default. Holds from the next start on.
	Witnesses []Witness `yaml:"witnesses"`
}

// Witness is a program of somebody else that signs checkpoints (C2SP tlog-witness).
type Witness struct {
	// URL is its address; checkpoints go to URL/add-checkpoint. Plain http only on this machine.
	URL string `yaml:"url"`
	// Key is its public key, as NAME+HASH+KEY.
	Key string `yaml:"key"`
}

// maxWitnesses bounds the time of a round.
const maxWitnesses = 8

// audit checks the witnesses.
func (ck *checker) audit(a *Audit) {
	if len(a.Witnesses) > maxWitnesses {
		ck.add("audit.witnesses", "%d witnesses: at most %d", len(a.Witnesses), maxWitnesses)
	}
	names := map[string]bool{}
	for i, w := range a.Witnesses {
		at := fmt.Sprintf("audit.witnesses.%d", i)
		if err := CheckEndpoint(w.URL); err != nil {
			ck.add(at+".url", "%v", err)
		}
		key, err := proof.ParseWitness(w.Key)
		switch {
		case err != nil:
			ck.add(at+".key", "%v", err)
		case names[key.Name()]:
			ck.add(at+".key", "the witness %s is named twice", key.Name())
		default:
			names[key.Name()] = true
		}
	}
}

// day is the shortest time to keep rows.
const day = 24 * time.Hour

// Kept is how long something is kept. The zero value is for ever.
type Kept time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *Kept) UnmarshalText(text []byte) error {
	d, err := parseKept(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a retention time: want days, weeks or hours, such as 90d, 12w or 2160h; remove the key to keep everything", text)
	}
	if d < day {
		return fmt.Errorf("%s: want at least 1d", text)
	}
	*k = Kept(d)
	return nil
}

func parseKept(text string) (time.Duration, error) {
	for unit, length := range map[string]time.Duration{"d": day, "w": 7 * day} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseUint(number, 10, 16)
			if limit := uint64(1<<63-1) / uint64(length); err == nil && n > limit {
				err = strconv.ErrRange
			}
			return time.Duration(n) * length, err
		}
	}
	return time.ParseDuration(text)
}

// MarshalText implements encoding.TextMarshaler.
func (k Kept) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// String writes whole days as days.
func (k Kept) String() string {
	switch d := time.Duration(k); {
	case d == 0:
		return "forever"
	case d%day == 0:
		return strconv.FormatInt(int64(d/day), 10) + "d"
	default:
		return d.String()
	}
}

// longer is the longer of two; the zero value is for ever.
func (k Kept) longer(other Kept) Kept {
	if k == 0 || other == 0 {
		return 0
	}
	return max(k, other)
}
