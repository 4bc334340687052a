/* slots: a concurrency policy with one slot, two tasks that want it, and the gate that no
 * transaction waits for.
 *
 * Covers: asking, admission, release, promotion of the next in line; the gate held to the end of
 *   its transaction and busy for others; notes of releases; servers that die with the gate.
 * Leaves out: several policies, keys, the order of the line, fail_fast, steps against tasks.
 * Searched: 304 states, depth 203, 3.4 s
 */
#include "tasker.h"

#ifdef LARGE
#define HOLDERS 3
#define LIMIT 2
#define FAULTS 3
#else
#define HOLDERS 2
#define LIMIT 1
#define FAULTS 2
#endif
#define UNLOCKED 0

byte step[HOLDERS];
bit waits[HOLDERS];                      /* a row of concurrency_slots */
bit is_admitted[HOLDERS];
bit is_due[HOLDERS];
byte row_lock[HOLDERS];                  /* the row of the task */
byte gate = UNLOCKED;
byte notes = 0;                          /* concurrency_releases */
byte faults = FAULTS;

inline count() {
  n = 0;
  for (k : 0 .. HOLDERS - 1) {
    if
    :: is_admitted[k] -> n++
    :: else
    fi };
  k = 0
}

/* promote_waiters, by the transaction that has the gate. as_read: what it has counted. */
inline promote(as_read) {
  free = LIMIT - as_read;
  for (k : 0 .. HOLDERS - 1) {
    if
    :: free > 0 && waits[k] && !is_admitted[k] ->
       is_admitted[k] = 1; is_due[k] = 1; free--; printf("MSC: the slot goes to task %d\n", k)
    :: else
    fi };
  k = 0; free = 0;
  count(); assert(n <= LIMIT); n = 0     /* slots never exceeded */
}

inline start(t) {
  is_due[t] = 0;
  move_step(step[t], ENQUEUED, ORCHESTRATOR); move_step(step[t], IN_PROGRESS, WORKER);
  count(); assert(is_admitted[t] && n <= LIMIT); n = 0
}

/* A task: it asks under its own lock, and its step, once started, completes and releases. */
proctype holder(byte t) {
  byte n, k, as_read;
  short free;
  bit has_gate;
ask:
  /* evaluate_tasks, admit_steps */
  atomic { row_lock[t] == UNLOCKED -> row_lock[t] = 1 };
  atomic {
#ifndef WITHOUT_GATE
    if
    :: gate == UNLOCKED -> gate = t + 1; has_gate = 1
    :: else -> has_gate = 0; printf("MSC: task %d finds the gate busy\n", t)
    fi;
#else
    has_gate = 1;
#endif
    count(); as_read = n; n = 0 };
  if
  :: atomic {
       waits[t] = 1;
       if
       :: has_gate ->
          promote(as_read);
          if
          :: is_admitted[t] -> start(t)
          :: else
          fi;
          gate = UNLOCKED
#ifndef WITHOUT_DUE
       :: !has_gate -> is_due[t] = 1
#else
       :: !has_gate
#endif
       fi;
       row_lock[t] = UNLOCKED; has_gate = 0; as_read = 0 }
  :: atomic { faults > 0 ->
       faults--; printf("MSC: the server that evaluates task %d dies\n", t);
       row_lock[t] = UNLOCKED;
       if
       :: has_gate -> gate = UNLOCKED
       :: else
       fi;
       has_gate = 0; as_read = 0; goto ask }
  fi;

  /* complete_steps, release_slots */
  atomic { step[t] == IN_PROGRESS && row_lock[t] == UNLOCKED -> row_lock[t] = 1 };
release:
  atomic {
#ifndef WITHOUT_GATE
    if
    :: gate == UNLOCKED -> gate = t + 1; has_gate = 1
    :: else -> has_gate = 0; printf("MSC: the release of task %d finds the gate busy\n", t)
    fi;
#else
    has_gate = 1;
#endif
    count(); as_read = n; n = 0 };
  if
  :: atomic {
       move_step(step[t], ENQUEUED_FOR_ORCHESTRATION, WORKER);
         move_step(step[t], COMPLETE, ORCHESTRATOR);
       printf("MSC: task %d releases its slot\n", t);
       waits[t] = 0; is_admitted[t] = 0; is_due[t] = 0;
       if
       :: has_gate -> promote((as_read - 1)); gate = UNLOCKED
#ifndef WITHOUT_NOTE
       :: !has_gate -> notes++
#else
       :: !has_gate
#endif
       fi;
       row_lock[t] = UNLOCKED; has_gate = 0; as_read = 0 }
  :: atomic { faults > 0 ->
       faults--; printf("MSC: the server that completes task %d dies\n", t);
       if
       :: has_gate -> gate = UNLOCKED
       :: else
       fi;
       has_gate = 0; as_read = 0; goto release }
  fi
}

#define all_done (step[0] == COMPLETE && step[1] == COMPLETE && step[HOLDERS - 1] == COMPLETE)

/* start_admitted_steps: notes first, then what is due, under the locks of the tasks, skip
 * locked. */
proctype server() {
  byte n, k, t;
  short free;
  do
  :: atomic { notes > 0 && gate == UNLOCKED -> notes--; count(); t = n; n = 0; promote(t); t = 0 }
  :: atomic {
       if
       :: is_due[0] && row_lock[0] == UNLOCKED -> t = 0
       :: is_due[1] && row_lock[1] == UNLOCKED -> t = 1
       :: is_due[HOLDERS - 1] && row_lock[HOLDERS - 1] == UNLOCKED -> t = HOLDERS - 1
       fi;
       printf("MSC: a server handles task %d, which is due\n", t);
       if
       :: step[t] == PENDING && is_admitted[t] -> start(t)
       :: step[t] == PENDING && !is_admitted[t] && gate == UNLOCKED ->
          is_due[t] = 0; count(); k = n; n = 0; free = k; promote(free);
          if
          :: is_admitted[t] -> start(t)
          :: else
          fi
       :: step[t] == PENDING && !is_admitted[t] && gate != UNLOCKED
       :: step[t] != PENDING -> is_due[t] = 0
       fi;
       t = 0 }
  :: all_done && notes == 0 -> break
  od
}

init {
  byte t;
  atomic {
    for (t : 0 .. HOLDERS - 1) { step[t] = PENDING; run holder(t) };
    t = 0; run server() }
}
