/* join: two tasks, each with two parents and a child that waits for both; two callers that complete
 * a parent of each.
 *
 * Covers: results of several tasks in one call, the order of the locks, counters of remaining
 *   parents that two transactions lower, the handoff of the child, finalisation by two callers,
 *   servers that die between the statements of a transaction.
 * Leaves out: failures, cancels, queues: the children complete at their handoff.
 * Searched: 364 states, depth 185, 2.3 s
 */
#include "tasker.h"

#define CALLERS 2
#ifdef LARGE
#define TASKS 3
#define FAULTS 3
#else
#define TASKS 2
#define FAULTS 2
#endif
#define UNLOCKED 0

byte row_lock[TASKS];
byte task[TASKS];
byte parent[TASKS * CALLERS];            /* parent[t * CALLERS + c] is run by caller c */
byte child[TASKS];
byte parents_left[TASKS];
byte unfinished[TASKS];
byte in_flight[TASKS];
byte faults = FAULTS;
/* For the properties only. */
byte starts[TASKS];
byte ends[TASKS];

#define mine parent[t * CALLERS + me]

inline end_task(t) {
  roll_task(task[t], COMPLETE); ends[t]++;
  assert(ends[t] == 1 && unfinished[t] == 0 && in_flight[t] == 0)    /* finalised once */
}

proctype caller(byte me) {
  byte left[TASKS];                      /* what the transaction has read */
  byte to_finish[TASKS];
  byte t, n;
again:
  n = 0;
  do                                     /* lock_tasks: by uuid */
  :: n < TASKS ->
#ifndef WITHOUT_LOCK_ORDER
     t = n;
#else
     t = (me == 0 -> n : TASKS - 1 - n);
#endif
#ifndef WITHOUT_TASK_LOCK
     atomic { row_lock[t] == UNLOCKED -> row_lock[t] = me + 1;
       printf("MSC: caller %d locks task %d\n", me, t) };
#endif
     n++
  :: else -> break
  od;
  atomic { for (t : 0 .. TASKS - 1) { left[t] = parents_left[t]; to_finish[t] = unfinished[t] };
    t = 0 };
  if
  :: atomic {
       for (t : 0 .. TASKS - 1) {
         if
         :: mine == IN_PROGRESS ->
            printf("MSC: caller %d completes its parent of task %d\n", me, t);
            move_step(mine, ENQUEUED_FOR_ORCHESTRATION, WORKER);
              move_step(mine, COMPLETE, ORCHESTRATOR);
            unfinished[t] = to_finish[t] - 1; in_flight[t]--;
#ifndef WITHOUT_WAIT_FOR_PARENTS
            if
            :: left[t] == 1 && child[t] == PENDING ->
#else
            if
            :: left[t] <= 2 && child[t] == PENDING ->
#endif
               parents_left[t] = 0; starts[t]++;
               assert(parent[t * CALLERS] == COMPLETE && parent[t * CALLERS + 1] == COMPLETE
                 && starts[t] == 1);
               move_step(child[t], ENQUEUED, ORCHESTRATOR); in_flight[t]++
            :: else -> parents_left[t] = left[t] - 1
            fi
         :: else
         fi;
         row_lock[t] = UNLOCKED; left[t] = 0; to_finish[t] = 0 };
       t = 0; n = 0 }
  :: atomic { faults > 0 -> faults--; for (t : 0 .. TASKS - 1) { row_lock[t] = UNLOCKED }; t = 0;
       printf("MSC: the server of caller %d dies\n", me) };
     goto again
  fi;
  /* Any server completes the children, and two callers finalise: finalize_task_completion. */
  t = 0; n = 0;
  do
  :: n < TASKS ->
     atomic { child[n] != PENDING && row_lock[n] == UNLOCKED ->
       if
       :: child[n] == ENQUEUED ->
          move_step(child[n], IN_PROGRESS, WORKER);
            move_step(child[n], ENQUEUED_FOR_ORCHESTRATION, WORKER);
          move_step(child[n], COMPLETE, ORCHESTRATOR); unfinished[n]--; in_flight[n]--
       :: else
       fi };
#ifndef WITHOUT_FINALISED_ONCE
     atomic { row_lock[n] == UNLOCKED -> if :: !ENDED(task[n]) -> end_task(n) :: else fi };
#else
     atomic { row_lock[n] == UNLOCKED -> end_task(n) };
#endif
     n++
  :: else -> break
  od
}

init {
  byte t, c;
  atomic {
    for (t : 0 .. TASKS - 1) {
      for (c : 0 .. CALLERS - 1) { parent[t * CALLERS + c] = IN_PROGRESS };
      child[t] = PENDING; parents_left[t] = CALLERS; unfinished[t] = CALLERS + 1;
        in_flight[t] = CALLERS;
      task[t] = STEPS_IN_PROCESS };
    t = 0; c = 0;
    run caller(0); run caller(1) };
  (_nr_pr == 1);
  for (t : 0 .. TASKS - 1) { assert(task[t] == COMPLETE && ends[t] == 1 && starts[t] == 1) }
}
