;; Grows its table by one entry for ever; each may move the whole table.
;; Tables are the host's heap and not bounded by the memory's limit: 3.5 GiB in 4 s seen.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (table $t 1 funcref)
  (func $check_permissions (result i32)
    (loop $again
      (drop (table.grow $t (ref.null func) (i32.const 1)))
      (br $again))
    (i32.const 0)))
