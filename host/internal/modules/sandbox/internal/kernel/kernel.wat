;; The host side of one instance: "extism:host/env", which its guest imports.
;;
;; A guest loads and stores the host's memory a byte or a word at a time. It stays
;; inside compiled code for that (3 ns instead of the 40 ns of a Go function); only
;; what needs the world outside is a Go function, imported here and exported again.
;; Every function takes the same time whatever a guest passes, so none costs fuel
;; beyond the call.
;;
;; The memory has three parts, and a guest can name only the last:
;;
;;      0  the control block, which the Go side reads and writes (control.go)
;;    128  the arena: a guest's offset n is the byte at 128 + n
;;  table  the handles: for each 8 bytes of the arena the length of the block that
;;         begins there, 0 where none does
;;
;; The control block, each 8 bytes:
;;
;;      0  $top      end of the arena in use; a multiple of 8
;;      8  $floor    its beginning: below it nothing can be reached any more
;;     16  $limit    where $top may go without asking
;;     24  $table    address of the handles
;;     32  $input    40  its length
;;     48  $output   56  its length: judged after the call
;;     64  $error    72  its length: as it was when the error was set
;;
;; Offsets are compared as 64 bits before they become addresses. An offset less
;; $floor is below $top less $floor, both without a sign, just when it is inside.
;; Blocks are handed out upwards, are multiples of 8 apart, and no offset is used
;; twice in a call: what was freed twice was freed once. All bytes that were never
;; handed out are 0, which the Go side sees to between calls.
(module
  ;; ends the call: function number, offset and length of what is outside
  (import "callgate:host" "outside" (func $outside (param i32 i64 i64)))
  ;; makes room up to an offset; 0 when there cannot be as much
  (import "callgate:host" "more" (func $more (param i64) (result i32)))
  (import "callgate:host" "config_get" (func $config_get (param i64) (result i64)))
  (import "callgate:host" "var_get" (func $var_get (param i64) (result i64)))
  (import "callgate:host" "var_set" (func $var_set (param i64 i64)))
  (import "callgate:host" "http_request" (func $http_request (param i64 i64) (result i64)))
  (import "callgate:host" "log_warn" (func $log_warn (param i64)))
  (import "callgate:host" "log_error" (func $log_error (param i64)))
  (memory 1)

  ;; Blocks.

  (func (export "alloc") (param $n i64) (result i64)
    (local $at i64) (local $end i64)
    ;; none, or so many that the sum below would not be exact
    (if (i64.ge_u (i64.sub (local.get $n) (i64.const 1)) (i64.const 0xffffffff)) (then (return (i64.const 0))))
    (local.set $at (i64.load (i32.const 0)))
    (local.set $end (i64.and (i64.add (i64.add (local.get $at) (local.get $n)) (i64.const 7)) (i64.const -8)))
    (if (i64.gt_u (local.get $end) (i64.load offset=16 (i32.const 0)))
      (then (if (i32.eqz (call $more (local.get $end))) (then (return (i64.const 0))))))
    (i32.store
      (i32.wrap_i64 (i64.add (i64.load offset=24 (i32.const 0)) (i64.shr_u (local.get $at) (i64.const 1))))
      (i32.wrap_i64 (local.get $n)))
    (i64.store (i32.const 0) (local.get $end))
    (local.get $at))

  ;; the address of the handle of what begins at an offset; 0 when nothing can
  (func $handle (param $offset i64) (result i32)
    (if (i64.ge_u (i64.sub (local.get $offset) (i64.load offset=8 (i32.const 0)))
                  (i64.sub (i64.load (i32.const 0)) (i64.load offset=8 (i32.const 0))))
      (then (return (i32.const 0))))
    (if (i64.ne (i64.and (local.get $offset) (i64.const 7)) (i64.const 0)) (then (return (i32.const 0))))
    (i32.wrap_i64 (i64.add (i64.load offset=24 (i32.const 0)) (i64.shr_u (local.get $offset) (i64.const 1)))))

  ;; the input can be freed too: then it is empty
  (func (export "free") (param $offset i64)
    (local $handle i32)
    (if (i64.eq (local.get $offset) (i64.load offset=32 (i32.const 0)))
      (then (i64.store offset=40 (i32.const 0) (i64.const 0))))
    (local.set $handle (call $handle (local.get $offset)))
    (if (local.get $handle) (then (i32.store (local.get $handle) (i32.const 0)))))

  (func $length (export "length") (export "length_unsafe") (param $offset i64) (result i64)
    (local $handle i32)
    (local.set $handle (call $handle (local.get $offset)))
    (if (i32.eqz (local.get $handle)) (then (return (i64.const 0))))
    (i64.load32_u (local.get $handle)))

  (func (export "memory_bytes") (result i64) (i64.load (i32.const 0)))

  ;; a new beginning further up: what was there cannot be reached
  (func (export "reset")
    (i64.store offset=8 (i32.const 0) (i64.load (i32.const 0)))
    (memory.fill (i32.const 32) (i32.const 0) (i32.const 48)))

  ;; Bytes and words.

  (func (export "load_u8") (param $offset i64) (result i32)
    (if (i64.ge_u (i64.sub (local.get $offset) (i64.load offset=8 (i32.const 0)))
                  (i64.sub (i64.load (i32.const 0)) (i64.load offset=8 (i32.const 0))))
      (then (call $outside (i32.const 0) (local.get $offset) (i64.const 1))))
    (i32.load8_u offset=128 (i32.wrap_i64 (local.get $offset))))

  (func (export "store_u8") (param $offset i64) (param $byte i32)
    (if (i64.ge_u (i64.sub (local.get $offset) (i64.load offset=8 (i32.const 0)))
                  (i64.sub (i64.load (i32.const 0)) (i64.load offset=8 (i32.const 0))))
      (then (call $outside (i32.const 1) (local.get $offset) (i64.const 1))))
    (i32.store8 offset=128 (i32.wrap_i64 (local.get $offset)) (local.get $byte)))

  ;; whether the 8 bytes at an offset are not all inside; what is in use is a
  ;; multiple of 8 bytes, so where one is, 8 less than all cannot be negative
  (func $wild (param $offset i64) (result i32)
    (local $in i64) (local $size i64)
    (local.set $in (i64.sub (local.get $offset) (i64.load offset=8 (i32.const 0))))
    (local.set $size (i64.sub (i64.load (i32.const 0)) (i64.load offset=8 (i32.const 0))))
    (i32.or (i64.ge_u (local.get $in) (local.get $size))
            (i64.gt_u (local.get $in) (i64.sub (local.get $size) (i64.const 8)))))

  (func (export "load_u64") (param $offset i64) (result i64)
    (if (call $wild (local.get $offset))
      (then (call $outside (i32.const 2) (local.get $offset) (i64.const 8))))
    (i64.load offset=128 align=1 (i32.wrap_i64 (local.get $offset))))

  (func (export "store_u64") (param $offset i64) (param $word i64)
    (if (call $wild (local.get $offset))
      (then (call $outside (i32.const 3) (local.get $offset) (i64.const 8))))
    (i64.store offset=128 align=1 (i32.wrap_i64 (local.get $offset)) (local.get $word)))

  ;; The input is always inside; what is beyond it reads as 0.

  (func (export "input_length") (result i64) (i64.load offset=40 (i32.const 0)))
  (func (export "input_offset") (result i64) (i64.load offset=32 (i32.const 0)))

  (func (export "input_load_u8") (param $index i64) (result i32)
    (if (i64.ge_u (local.get $index) (i64.load offset=40 (i32.const 0))) (then (return (i32.const 0))))
    (i32.load8_u offset=128 (i32.wrap_i64 (i64.add (i64.load offset=32 (i32.const 0)) (local.get $index)))))

  (func (export "input_load_u64") (param $index i64) (result i64)
    (local $length i64)
    (local.set $length (i64.load offset=40 (i32.const 0)))
    (if (i64.ge_u (local.get $index) (local.get $length)) (then (return (i64.const 0))))
    (if (i64.lt_u (i64.sub (local.get $length) (local.get $index)) (i64.const 8)) (then (return (i64.const 0))))
    (i64.load offset=128 align=1 (i32.wrap_i64 (i64.add (i64.load offset=32 (i32.const 0)) (local.get $index)))))

  (func (export "input_set") (param $offset i64) (param $length i64)
    (local $in i64) (local $size i64)
    (local.set $in (i64.sub (local.get $offset) (i64.load offset=8 (i32.const 0))))
    (local.set $size (i64.sub (i64.load (i32.const 0)) (i64.load offset=8 (i32.const 0))))
    (if (i64.ne (local.get $length) (i64.const 0))
      (then
        (if (i32.or (i64.ge_u (local.get $in) (local.get $size))
                    (i64.gt_u (local.get $length) (i64.sub (local.get $size) (local.get $in))))
          (then (call $outside (i32.const 4) (local.get $offset) (local.get $length))))))
    (i64.store offset=32 (i32.const 0) (local.get $offset))
    (i64.store offset=40 (i32.const 0) (local.get $length)))

  ;; Output and error: the last ones win.

  (func (export "output_set") (param $offset i64) (param $length i64)
    (i64.store offset=48 (i32.const 0) (local.get $offset))
    (i64.store offset=56 (i32.const 0) (local.get $length)))
  (func (export "output_length") (result i64) (i64.load offset=56 (i32.const 0)))
  (func (export "output_offset") (result i64) (i64.load offset=48 (i32.const 0)))

  (func (export "error_set") (param $offset i64)
    (i64.store offset=64 (i32.const 0) (local.get $offset))
    (i64.store offset=72 (i32.const 0) (call $length (local.get $offset))))
  (func (export "error_get") (result i64) (i64.load offset=64 (i32.const 0)))

  ;; Configuration, variables, http: what is not always the same is the Go side's.

  (export "config_get" (func $config_get))
  (export "var_get" (func $var_get))
  (export "var_set" (func $var_set))
  (export "http_request" (func $http_request))
  (func (export "http_status_code") (result i32) (i32.const 0))
  (func (export "http_headers") (result i64) (i64.const 0))

  ;; Log, from warnings on: the same with and without a logger, or what a guest
  ;; does would depend on the operator's.

  (export "log_warn" (func $log_warn))
  (export "log_error" (func $log_error))
  (func (export "log_trace") (export "log_debug") (export "log_info") (param i64))
  (func (export "get_log_level") (result i32) (i32.const 3)))
