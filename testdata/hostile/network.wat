;; Tries an HTTP request.
;; expect: check_permissions trap "http_request: a tool module has no network"
(module
  (import "extism:host/env" "http_request" (func $http (param i64 i64) (result i64)))
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "{\22url\22:\22http://127.0.0.1/\22}\00")
  (func $check_permissions (result i32)
    (drop (call $http (call $text (i32.const 1024)) (i64.const 0)))
    (call $answer (i32.const 512))))
