/* cancel: a cancel request against two steps in a row, and an operator.
 *
 * Covers: cancel before and after the handoff, revoked offer, grace period of a handler that does
 *   not stop, a result and a failure that come after the request, results of a server with the
 *   worker's role alone, recovery, release, a failure that blocks the task, and the operator's
 *   reset, completion and closing of a step and of the task. The cancel reads a snapshot under the
 *   lock of its task and moves steps by compare and set: a claim, which needs no lock of the task,
 *   may come between.
 * Leaves out: doubled messages and leases (handoff), a handler that hangs without being asked to
 *   stop, children (child), compensation.
 * Searched: 11838 states, depth 157, 4.4 s
 */
#include "tasker.h"

#ifdef LARGE
#define WORKERS 3
#define FAULTS 3
#define RESETS 2
#else
#define WORKERS 2
#define FAULTS 1
#define RESETS 1
#endif
#define UNLOCKED 0
#define CANCEL 1
#define NONE 0
#define ALLOW_FINISH 1
#define CANCEL_RUNNING 2

byte step[2];
byte parents_left = 1;                   /* of the second step */
byte handoffs[2];
byte snapshot[2];                        /* what the cancel has read */
byte task = NOTHING;
byte row_lock = UNLOCKED;
byte in_flight = 0, unfinished = 2, failed = 0;
byte request = NONE;
bit is_grace_over = 0;
byte faults = FAULTS;
byte resets = RESETS;
byte running[WORKERS];                   /* 1 + the step that a worker runs */
byte fence[WORKERS];

#define free (row_lock == UNLOCKED)
#define is_over (ENDED(task) || (task == BLOCKED_BY_FAILURES && resets == 0))

inline recount() {
  assert(in_flight == (IN_FLIGHT(step[0]) -> 1 : 0) + (IN_FLIGHT(step[1]) -> 1 : 0));
  assert(unfinished == (DONE(step[0]) -> 0 : 1) + (DONE(step[1]) -> 0 : 1));
  assert(failed == (step[0] == ERROR -> 1 : 0) + (step[1] == ERROR -> 1 : 0))
}

inline roll_up() {
  if
  :: ENDED(task)
  :: !ENDED(task) && in_flight > 0 -> roll_task(task, STEPS_IN_PROCESS)
  :: !ENDED(task) && in_flight == 0 && request != NONE -> roll_task(task, CANCELLED)
  :: !ENDED(task) && in_flight == 0 && request == NONE && unfinished == 0 ->
     roll_task(task, COMPLETE)
  :: !ENDED(task) && in_flight == 0 && request == NONE && unfinished > 0 && failed > 0 ->
     roll_task(task, BLOCKED_BY_FAILURES)
  :: !ENDED(task) && in_flight == 0 && request == NONE && unfinished > 0 && failed == 0 ->
     roll_task(task, WAITING_FOR_DEPENDENCIES)
  fi;
  recount();
  /* A step of a finished task cannot move. */
  assert(!(task == CANCELLED || task == COMPLETE) || !(step[0] == PENDING || step[1] == PENDING))
}

inline hand_off(s) {
  assert(request == NONE);                              /* cancelled work never starts */
  move_step(step[s], ENQUEUED, ORCHESTRATOR); handoffs[s]++; in_flight++
}

/* release_children and the handoff of the second step. */
inline release_children() {
  parents_left--;
  if
  :: step[1] == PENDING && request == NONE && failed == 0 -> hand_off(1)
  :: else
  fi
}

inline settle(s) {
  if
  :: step[s] == ENQUEUED_FOR_ORCHESTRATION ->
     move_step(step[s], COMPLETE, ORCHESTRATOR); in_flight--; unfinished--;
     if
     :: s == 0 -> release_children()
     :: s == 1
     fi
  :: step[s] == ENQUEUED_AS_ERROR_FOR_ORCHESTRATION ->
     if
     :: request != NONE -> move_step(step[s], CANCELLED, ORCHESTRATOR); in_flight--
     :: move_step(step[s], ERROR, ORCHESTRATOR); in_flight--; failed++
     fi
  fi
}

inline claim(s) {
  printf("MSC: worker %d claims step %d\n", me, s);
  assert(request == NONE);                              /* cancelled work never starts */
  move_step(step[s], IN_PROGRESS, WORKER); running[me] = 1 + s; fence[me] = handoffs[s]
}

#define mine (running[me] - 1)
#define is_current (step[mine] == IN_PROGRESS && handoffs[mine] == fence[me])

proctype worker(byte me) {
  do
  :: atomic { running[me] == 0 && step[0] == ENQUEUED -> claim(0) }   /* no lock of the task */
  :: atomic { running[me] == 0 && step[1] == ENQUEUED -> claim(1) }
  /* complete_steps of a server with both roles */
  :: atomic { running[me] != 0 && free ->
       if
       :: is_current ->
          if
          :: move_step(step[mine], ENQUEUED_FOR_ORCHESTRATION, WORKER);
             printf("MSC: worker %d submits a success of step %d\n", me, mine)
          :: move_step(step[mine], ENQUEUED_AS_ERROR_FOR_ORCHESTRATION, WORKER);
             printf("MSC: worker %d submits a failure of step %d\n", me, mine)
          fi;
          settle(mine); roll_up()
       :: else
       fi;
       running[me] = 0; fence[me] = 0 }
  /* the worker's role alone: no lock of the task */
  :: atomic { running[me] != 0 ->
       if
       :: is_current ->
          if
          :: move_step(step[mine], ENQUEUED_FOR_ORCHESTRATION, WORKER);
             printf("MSC: worker %d queues a success of step %d\n", me, mine)
          :: move_step(step[mine], ENQUEUED_AS_ERROR_FOR_ORCHESTRATION, WORKER);
             printf("MSC: worker %d queues a failure of step %d\n", me, mine)
          fi
       :: else
       fi;
       running[me] = 0; fence[me] = 0 }
  /* the handler stops when it is asked to */
  :: atomic { running[me] != 0 && request == CANCEL_RUNNING && free ->
       printf("MSC: worker %d stops\n", me);
       if
       :: is_current ->
          move_step(step[mine], CANCELLED, WORKER); in_flight--; roll_up()
       :: else
       fi;
       running[me] = 0; fence[me] = 0 }
  :: atomic { running[me] != 0 && faults > 0 && free -> /* release_steps */
       faults--;
       if
       :: is_current ->
          move_step(step[mine], PENDING, WORKER); in_flight--;
          printf("MSC: worker %d releases step %d\n", me, mine);
          if
#ifndef WITHOUT_CANCEL_OF_RELEASED
          :: request != NONE -> move_step(step[mine], CANCELLED, ORCHESTRATOR)
          :: request == NONE -> hand_off(mine)
#else
          :: hand_off(mine)
#endif
          fi;
          roll_up()
       :: else
       fi;
       running[me] = 0; fence[me] = 0 }
  :: atomic { running[me] != 0 && faults > 0 && is_current && request == CANCEL_RUNNING ->
       faults--; printf("MSC: worker %d hangs, and its heartbeats go on\n", me) };
     atomic { !is_current -> running[me] = 0; fence[me] = 0 }
  :: is_over && running[me] == 0 -> break
  od
}

/* request_cancel */
proctype operator_cancels() {
  if
  :: ENDED(task) -> goto done
#ifndef WITHOUT_TASK_LOCK
  :: atomic { task != NOTHING && free && !ENDED(task) -> row_lock = CANCEL; snapshot[0] = step[0];
              snapshot[1] = step[1] }
#else
  :: atomic { task != NOTHING && !ENDED(task) -> snapshot[0] = step[0]; snapshot[1] = step[1] }
#endif
  fi;
  if
  :: atomic {
       printf("MSC: the cancel commits\n");
       if
       :: !ENDED(task) ->
       if
       :: request = CANCEL_RUNNING
       :: request = ALLOW_FINISH
       fi;
       byte s;
       for (s : 0 .. 1) {
         if
#ifndef WITHOUT_COMPARE_IN_CANCEL
         :: snapshot[s] == PENDING && step[s] == PENDING ->
            move_step(step[s], CANCELLED, ORCHESTRATOR)
         :: snapshot[s] == ENQUEUED && step[s] == ENQUEUED ->
            move_step(step[s], CANCELLED, ORCHESTRATOR); in_flight--
#else
         :: snapshot[s] == PENDING -> move_step(step[s], CANCELLED, ORCHESTRATOR)
         :: snapshot[s] == ENQUEUED -> move_step(step[s], CANCELLED, ORCHESTRATOR); in_flight--
#endif
         :: else
         fi };
       s = 0;
       roll_up()
       :: else
       fi;
       row_lock = UNLOCKED; snapshot[0] = 0; snapshot[1] = 0 }
  :: atomic { row_lock = UNLOCKED; snapshot[0] = 0; snapshot[1] = 0;
              printf("MSC: the server dies in the cancel\n") }
  fi;
done:
  skip
}

proctype server() {
  do
  :: atomic { task == NOTHING ->
       move_task(task, PENDING, ORCHESTRATOR); move_step(step[0], PENDING, ORCHESTRATOR);
         move_step(step[1], PENDING, ORCHESTRATOR);
       hand_off(0); roll_up() }
  :: atomic { free && SUBMITTED(step[0]) -> settle(0); roll_up() }
  :: atomic { free && SUBMITTED(step[1]) -> settle(1); roll_up() }
#ifndef WITHOUT_GRACE
  /* recover_expired_steps */
  :: atomic { free && request == CANCEL_RUNNING && step[0] == IN_PROGRESS && is_grace_over ->
       move_step(step[0], CANCELLED, RECOVERY); in_flight--; roll_up();
         printf("MSC: recovery ends step 0\n") }
  :: atomic { free && request == CANCEL_RUNNING && step[1] == IN_PROGRESS && is_grace_over ->
       move_step(step[1], CANCELLED, RECOVERY); in_flight--; roll_up();
         printf("MSC: recovery ends step 1\n") }
#endif
  :: is_over -> break
  od
}

/* Time, and the operator who acts on a task that rests: act_on_step, act_on_task. */
proctype world() {
  do
  :: atomic { request == CANCEL_RUNNING && !is_grace_over && !ENDED(task) -> is_grace_over = 1 }
  :: atomic { free && task == BLOCKED_BY_FAILURES && resets > 0 ->
       resets--;
       byte s;
       s = (step[0] == ERROR -> 0 : 1);
       if
       :: move_step(step[s], PENDING, OPERATOR); failed--; hand_off(s);
          printf("MSC: an operator resets step %d\n", s); roll_up()
       :: move_step(step[s], COMPLETE, OPERATOR); failed--; unfinished--;
          if
          :: s == 0 -> release_children()
          :: s == 1
          fi; roll_up()
       :: move_step(step[s], RESOLVED_MANUALLY, OPERATOR); failed--; unfinished--;
          if
          :: s == 0 -> release_children()
          :: s == 1
          fi; roll_up()
       :: move_task(task, ERROR, OPERATOR)
       :: move_task(task, RESOLVED_MANUALLY, OPERATOR)
       fi;
       s = 0 }
  :: is_over -> break
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. WORKERS - 1) { run worker(i) }
    run server(); run world(); run operator_cancels()
  }
}
