package store

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// A statement of each transaction of the writer.
const (
	beginWrite = iota
	addRow
	addUse
	addCall
	moveHead
	commitWrite
)

// writerTexts are the statements. The row names no columns: it has all of them, in their order.
var writerTexts = []string{
	beginWrite:  "BEGIN IMMEDIATE",
	addRow:      "INSERT INTO audit_log VALUES (" + strings.Repeat("?,", 25) + "?)",
	addUse:      addUses,
	addCall:     insertCall,
	moveHead:    "UPDATE audit_head SET seq = ?, hash = ? WHERE one = 1",
	commitWrite: "COMMIT",
}

// The statement of each named call, on a connection for reading.
const hasCall = 0

var readerTexts = []string{hasCall: "SELECT 1 FROM calls WHERE token = ? AND session = ? AND call_id = ?"}

// ready has statements compiled once, on a connection of its own. The driver compiles a statement
// each time it runs, also a prepared one. RATIONALE.md, "Why does the store reach past its driver?".
// One goroutine at a time uses it.
type ready struct {
	tls       *libc.TLS
	db        uintptr
	compiled  []uintptr
	memory    uintptr // SQLite's, for the values of one statement at a time
	size, use int
	failed    int32 // the first failure to bind a value of the next step
}

// none is a null pointer's bytes.
const none = "\x00\x00\x00\x00\x00\x00\x00\x00"

// readyOn compiles them. A connection has to give them back before it is closed.
func readyOn(conn *sql.Conn, texts []string) (*ready, error) {
	r := &ready{compiled: make([]uintptr, len(texts))}
	if err := conn.Raw(r.reach); err != nil {
		return nil, err
	}
	for i, text := range texts {
		r.room(len(none) + len(text) + 1)
		result, at, rc := r.put(none), r.put(text+"\x00"), r.failed
		if rc == sqlite3.SQLITE_OK {
			rc = sqlite3.Xsqlite3_prepare_v3(r.tls, r.db, at, -1, sqlite3.SQLITE_PREPARE_PERSISTENT, result, 0)
		}
		if rc != sqlite3.SQLITE_OK {
			return nil, errors.Join(r.explain(rc), r.end())
		}
		r.compiled[i] = *(*uintptr)(pointer(result))
	}
	return r, nil
}

// reach takes the handle of the connection from the driver.
func (r *ready) reach(driver any) error {
	v := reflect.ValueOf(driver)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("the SQLite driver's connection is a %T", driver)
	}
	db, tls := v.Elem().FieldByName("db"), v.Elem().FieldByName("tls")
	if !db.IsValid() || db.Kind() != reflect.Uintptr || !tls.IsValid() || tls.Type() != reflect.TypeFor[*libc.TLS]() {
		return fmt.Errorf("the SQLite driver's connection, a %T, has no db and tls", driver)
	}
	r.db, r.tls = uintptr(db.Uint()), (*libc.TLS)(tls.UnsafePointer())
	return nil
}

// end gives the statements back.
func (r *ready) end() error {
	var rc int32
	for i, s := range r.compiled {
		if failed := sqlite3.Xsqlite3_finalize(r.tls, s); failed != sqlite3.SQLITE_OK {
			rc = failed
		}
		r.compiled[i] = 0
	}
	sqlite3.Xsqlite3_free(r.tls, r.memory)
	r.memory, r.size = 0, 0
	if rc != sqlite3.SQLITE_OK {
		return r.explain(rc)
	}
	return nil
}

// room makes room for the values of a statement, of n bytes together.
func (r *ready) room(n int) {
	r.use = 0
	if n <= r.size {
		return
	}
	sqlite3.Xsqlite3_free(r.tls, r.memory)
	r.size = max(2*n, 4<<10)
	if r.memory = sqlite3.Xsqlite3_malloc64(r.tls, sqlite3.Tsqlite3_uint64(r.size)); r.memory == 0 {
		r.size, r.failed = 0, sqlite3.SQLITE_NOMEM
	}
}

// put copies a value to memory that Go does not move, and returns its place; 0 without room.
func (r *ready) put(value string) uintptr {
	if r.size-r.use < len(value) || r.memory == 0 {
		r.failed = sqlite3.SQLITE_NOMEM
		return 0
	}
	at := r.memory + uintptr(r.use)
	r.use += len(value)
	copy(unsafe.Slice((*byte)(pointer(at)), len(value)), value)
	return at
}

// pointer is memory of SQLite's, which Go does not manage.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// number binds the i-th value of a statement, from 1 on.
func (r *ready) number(statement, i int, value int64) {
	r.bound(sqlite3.Xsqlite3_bind_int64(r.tls, r.compiled[statement], int32(i), value))
}

// text binds a text, put into the room.
func (r *ready) text(statement, i int, value string) {
	if at := r.put(value); at != 0 {
		r.bound(sqlite3.Xsqlite3_bind_text(r.tls, r.compiled[statement], int32(i), at, int32(len(value)), 0))
	}
}

// hash binds the bytes of a hash, put into the room.
func (r *ready) hash(statement, i int, value *Hash) {
	if at := r.put(string(value[:])); at != 0 {
		r.bound(sqlite3.Xsqlite3_bind_blob(r.tls, r.compiled[statement], int32(i), at, int32(len(value)), 0))
	}
}

func (r *ready) bound(rc int32) {
	if r.failed == sqlite3.SQLITE_OK {
		r.failed = rc
	}
}

// step runs a statement with its values.
func (r *ready) step(statement int) error {
	_, err := r.found(statement)
	return err
}

// found is step, and reports whether the statement has a result.
func (r *ready) found(statement int) (bool, error) {
	rc := r.failed
	r.failed = sqlite3.SQLITE_OK
	if rc == sqlite3.SQLITE_OK {
		rc = sqlite3.Xsqlite3_step(r.tls, r.compiled[statement])
	}
	var err error
	if rc != sqlite3.SQLITE_DONE && rc != sqlite3.SQLITE_ROW {
		err = r.explain(rc)
	}
	sqlite3.Xsqlite3_reset(r.tls, r.compiled[statement]) // repeats the error
	return rc == sqlite3.SQLITE_ROW, err
}

// row adds a row of the audit.
func (r *ready) row(row *Row) error {
	texts, rest := row.texts(), row.rest()
	size := 2 * len(Hash{})
	for _, t := range texts {
		size += len(*t)
	}
	for _, t := range rest {
		size += len(*t)
	}
	r.room(size + 1) // an empty text has a place as well
	r.number(addRow, 1, row.Seq)
	r.number(addRow, 2, row.Time.UnixNano())
	n := 3
	for _, t := range texts {
		r.text(addRow, n, *t)
		n++
	}
	r.number(addRow, n, int64(row.Latency))
	r.hash(addRow, n+1, &row.Prev)
	r.hash(addRow, n+2, &row.Hash)
	for i, t := range rest {
		r.text(addRow, n+3+i, *t)
	}
	return r.step(addRow)
}

// uses counts the uses of a rule.
func (r *ready) uses(id string, u RuleUse) error {
	r.room(len(id) + 1)
	r.text(addUse, 1, id)
	r.number(addUse, 2, u.Count)
	r.number(addUse, 3, u.Last.UnixNano())
	return r.step(addUse)
}

// call keeps a call with these values, texts and numbers, and reports whether its key was new.
func (r *ready) call(values []any) (bool, error) {
	size := 1 // an empty text has a place as well
	for _, v := range values {
		if text, ok := v.(string); ok {
			size += len(text)
		}
	}
	r.room(size)
	for i, v := range values {
		switch v := v.(type) {
		case string:
			r.text(addCall, i+1, v)
		case int64:
			r.number(addCall, i+1, v)
		case bool:
			flag := int64(0)
			if v {
				flag = 1
			}
			r.number(addCall, i+1, flag)
		default:
			return false, fmt.Errorf("a call's value is a %T", v)
		}
	}
	if err := r.step(addCall); err != nil {
		return false, err
	}
	return sqlite3.Xsqlite3_changes(r.tls, r.db) > 0, nil
}

// has reports whether there is a call with this key.
func (r *ready) has(key ask.Key) (bool, error) {
	r.room(len(key.Token) + len(key.Session) + len(key.CallID) + 1)
	r.text(hasCall, 1, key.Token)
	r.text(hasCall, 2, key.Session)
	r.text(hasCall, 3, key.CallID)
	return r.found(hasCall)
}

// head names the last row of the chain.
func (r *ready) head(l *link) error {
	r.room(len(l.hash))
	r.number(moveHead, 1, l.seq)
	r.hash(moveHead, 2, &l.hash)
	return r.step(moveHead)
}

// codeError is an error of SQLite itself.
type codeError struct {
	code int32
	text string
}

// Error implements error.
func (e *codeError) Error() string { return fmt.Sprintf("%s (%d)", e.text, e.code) }

// Code is SQLite's number of the error.
func (e *codeError) Code() int { return int(e.code) }

func (r *ready) explain(rc int32) error {
	text := libc.GoString(sqlite3.Xsqlite3_errstr(r.tls, rc))
	if more := libc.GoString(sqlite3.Xsqlite3_errmsg(r.tls, r.db)); more != text {
		text += ": " + more
	}
	return &codeError{rc, text}
}
