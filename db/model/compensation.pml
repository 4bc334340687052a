/* compensation: two steps in a row, and what undoes them in reverse order.
 *
 * Covers: a failure or a cancel that asks for a compensation, its begin when nothing is in flight,
 *   by two callers; undo steps that wait for each other; late results of the steps that are undone;
 *   the cancel request that is put away until the end; a second cancel; a failure of an undo step
 *   that blocks the task, and the operator who completes it.
 * Leaves out: batches, children, forks, steps without a compensation.
 * Searched: 7594 states, depth 174, 6.1 s
 */
#include "tasker.h"

#ifdef LARGE
#define FAULTS 4
#define WORKERS 3
#else
#define FAULTS 2
#define WORKERS 2
#endif

byte step[2];
byte undo[2];                            /* undo[0] waits for undo[1], if there is one */
byte handoffs[2];
byte task = STEPS_IN_PROCESS;
bit is_asked = 0;                        /* a cancel that asks for a compensation */
bit is_cancelled = 0;                    /* tasks.cancel_requested_at */
bit is_put_away = 0;                     /* task_compensations.cancel_request */
bit is_running = 0;                      /* tasks.compensation is not null */
byte in_flight = 1, unfinished = 2, failed = 0;
byte faults = FAULTS;
byte running[WORKERS];                   /* 1 + the step that a worker runs, 3 + an undo step */
byte fence[WORKERS];
byte begins = 0;                         /* for the properties only */

#define undo_left (IN_FLIGHT(undo[0]) || IN_FLIGHT(undo[1]) || undo[0] == PENDING \
  || undo[1] == PENDING)

inline offer_undo() {
  if
#ifndef WITHOUT_REVERSE_ORDER
  :: undo[1] == PENDING -> move_step(undo[1], ENQUEUED, ORCHESTRATOR); in_flight++
  :: undo[0] == PENDING && (undo[1] == NOTHING || DONE(undo[1])) ->
#else
  :: undo[1] == PENDING -> move_step(undo[1], ENQUEUED, ORCHESTRATOR); in_flight++;
     move_step(undo[0], ENQUEUED, ORCHESTRATOR); in_flight++
  :: undo[0] == PENDING ->
#endif
     move_step(undo[0], ENQUEUED, ORCHESTRATOR); in_flight++
  :: else
  fi;
  /* What was done last is undone first. */
  assert(!(IN_FLIGHT(undo[0]) && (undo[1] == PENDING || IN_FLIGHT(undo[1]))))
}

inline withdraw(s) {
  if
  :: s == PENDING || s == WAITING_FOR_RETRY -> move_step(s, CANCELLED, ORCHESTRATOR)
  :: else
  fi
}

/* begin_compensations */
inline begin() {
  begins++; printf("MSC: the compensation begins\n");
  assert(begins == 1);
  assert(!IN_FLIGHT(step[0]) && !IN_FLIGHT(step[1]));   /* nothing runs beside a compensation */
  is_running = 1;
#ifndef WITHOUT_PUTTING_AWAY
  is_put_away = is_cancelled; is_cancelled = 0;
#else
  is_put_away = is_cancelled;
#endif
  withdraw(step[0]); withdraw(step[1]);
  in_flight = 0; failed = 0; unfinished = 0;
  if
  :: step[0] == COMPLETE -> move_step(undo[0], PENDING, ORCHESTRATOR); unfinished++
  :: else
  fi;
  if
  :: step[1] == COMPLETE -> move_step(undo[1], PENDING, ORCHESTRATOR); unfinished++
  :: else
  fi;
#ifdef WITHOUT_PUTTING_AWAY
  if
  :: is_cancelled
  :: else -> offer_undo()
  fi
#else
  offer_undo()
#endif
}

inline roll_up() {
  if
#ifndef WITHOUT_NOTHING_IN_FLIGHT
  :: in_flight == 0 && !is_running && ((is_cancelled && is_asked) || (!is_cancelled
     && failed > 0)) -> begin()
#else
  :: !is_running && ((is_cancelled && is_asked) || (!is_cancelled && failed > 0)) -> begin()
#endif
  :: else
  fi;
  if
  :: ENDED(task)
  :: !ENDED(task) && in_flight > 0 -> roll_task(task, STEPS_IN_PROCESS)
  :: !ENDED(task) && in_flight == 0 && is_cancelled -> roll_task(task, CANCELLED)
  :: !ENDED(task) && in_flight == 0 && !is_cancelled && unfinished == 0 ->
     if
     :: is_running && is_put_away -> is_cancelled = 1; roll_task(task, CANCELLED)
     :: is_running && !is_put_away -> roll_task(task, ERROR)
     :: !is_running -> roll_task(task, COMPLETE)
     fi
  :: !ENDED(task) && in_flight == 0 && !is_cancelled && unfinished > 0 && failed > 0 ->
     roll_task(task, BLOCKED_BY_FAILURES)
  fi;
  assert(!ENDED(task) || !undo_left)
}

#define mine (running[me] - 1)
#define is_current ((mine < 2 && step[mine] == IN_PROGRESS && fence[me] == handoffs[mine]) \
  || (mine >= 2 && undo[mine - 2] == IN_PROGRESS))

inline finish(s, is_undo) {
  if
  :: move_step(s, ENQUEUED_FOR_ORCHESTRATION, WORKER); move_step(s, COMPLETE, ORCHESTRATOR);
     in_flight--; unfinished--
  :: move_step(s, ENQUEUED_AS_ERROR_FOR_ORCHESTRATION, WORKER); in_flight--;
     move_step(s, ERROR, ORCHESTRATOR); failed++
  fi
}

proctype worker(byte me) {
  do
  :: atomic { running[me] == 0 && step[0] == ENQUEUED -> move_step(step[0], IN_PROGRESS, WORKER);
              running[me] = 1; fence[me] = handoffs[0] }
  :: atomic { running[me] == 0 && step[1] == ENQUEUED -> move_step(step[1], IN_PROGRESS, WORKER);
              running[me] = 2; fence[me] = handoffs[1] }
  :: atomic { running[me] == 0 && undo[0] == ENQUEUED -> move_step(undo[0], IN_PROGRESS, WORKER);
              running[me] = 3 }
  :: atomic { running[me] == 0 && undo[1] == ENQUEUED -> move_step(undo[1], IN_PROGRESS, WORKER);
              running[me] = 4 }
  :: atomic { running[me] != 0 ->
       if
       :: is_current && running[me] == 1 -> finish(step[0], 0);
          printf("MSC: worker %d ends step 0\n", me);
          if
          :: step[0] == COMPLETE && !is_cancelled && !is_running ->
             move_step(step[1], ENQUEUED, ORCHESTRATOR); handoffs[1]++; in_flight++
          :: else
          fi;
          roll_up()
       :: is_current && running[me] == 2 -> finish(step[1], 0);
          printf("MSC: worker %d ends step 1\n", me); roll_up()
       :: is_current && running[me] > 2 -> finish(undo[mine - 2], 1);
          printf("MSC: worker %d ends undo %d\n", me, mine - 2);
          if
          :: undo[mine - 2] == COMPLETE -> offer_undo()
          :: else
          fi;
          roll_up()
       :: else -> printf("MSC: worker %d is told that its result is stale\n", me)
       fi;
       running[me] = 0; fence[me] = 0 }
  :: ENDED(task) && running[me] == 0 -> break
  od
}

inline lose(s) {
  faults--; printf("MSC: a worker is lost\n");
  if
  :: is_cancelled -> move_step(s, CANCELLED, RECOVERY); in_flight--
  :: !is_cancelled -> move_step(s, PENDING, RECOVERY); move_step(s, ENQUEUED, ORCHESTRATOR)
  fi;
  roll_up()
}

proctype server() {
  do
  :: atomic { faults > 0 && step[0] == IN_PROGRESS -> handoffs[0]++; lose(step[0]) }
  :: atomic { faults > 0 && step[1] == IN_PROGRESS -> handoffs[1]++; lose(step[1]) }
  :: atomic { task == BLOCKED_BY_FAILURES && undo[0] == ERROR ->
       printf("MSC: an operator completes undo 0\n"); move_step(undo[0], COMPLETE, OPERATOR);
         failed--; unfinished--; offer_undo(); roll_up() }
  :: atomic { task == BLOCKED_BY_FAILURES && undo[1] == ERROR ->
       printf("MSC: an operator completes undo 1\n"); move_step(undo[1], COMPLETE, OPERATOR);
         failed--; unfinished--; offer_undo(); roll_up() }
  /* finalize_task_completion, of any caller, at any time. */
  :: atomic { !ENDED(task) && in_flight == 0 -> roll_up() }
  :: ENDED(task) -> break
  od
}

/* request_cancel with p_compensate, twice. */
proctype operator_cancels() {
  byte n = 0;
  do
  :: atomic { n < 2 ->
       n++;
       if
#ifndef WITHOUT_REFUSAL
       :: ENDED(task) || is_running || is_cancelled
       :: !ENDED(task) && !is_running && !is_cancelled ->
#else
       :: ENDED(task) || is_cancelled
       :: !ENDED(task) && !is_cancelled ->
#endif
          printf("MSC: a cancel commits\n");
          is_cancelled = 1; is_asked = 1;
          if
          :: step[0] == ENQUEUED -> move_step(step[0], CANCELLED, ORCHESTRATOR); in_flight--
          :: else
          fi;
          if
          :: step[1] == ENQUEUED -> move_step(step[1], CANCELLED, ORCHESTRATOR); in_flight--
          :: else -> withdraw(step[1])
          fi;
          roll_up()
       fi }
  :: break
  od
}

init {
  byte i;
  atomic {
    step[0] = ENQUEUED; handoffs[0] = 1; step[1] = PENDING;
    for (i : 0 .. WORKERS - 1) { run worker(i) };
    i = 0;
    run server(); run operator_cancels() };
  (_nr_pr == 1);
  assert(task == COMPLETE || is_running || is_cancelled);
  /* Each step that was done is undone, once the compensation has begun. */
  assert(!is_running || ((step[0] == COMPLETE) == (undo[0] == COMPLETE)
    && (step[1] == COMPLETE) == (undo[1] == COMPLETE)))
}
