/* timeout: a task whose time may be over at any moment, and that may not be able to go on.
 *
 * Covers: a context that is checked late and may not fit; a time limit that fails the task, before
 *   its start, beside an offer, a running step and a result that comes at that moment, also from a
 *   server with the worker's role alone, which does not lock the task; a task that is stale; a
 *   result that no server can process; a blocked task, a cancel, and an operator who restarts the
 *   task. The decision and the moves of a time-out are two statements under the lock of the task.
 * Leaves out: time limits that cancel or compensate (they are a cancel), queue time-outs, leases,
 *   several steps.
 * Searched: 5526 states, depth 115, 3.5 s
 */
#include "tasker.h"

#ifdef LARGE
#define WORKERS 3
#define RESTARTS 2
#define FAULTS 3
#else
#define WORKERS 2
#define RESTARTS 1
#define FAULTS 2
#endif
#define FAULT_LIMIT 2
#define UNLOCKED 0
#define SERVER 1

byte task = PENDING;
byte step = PENDING;
byte handoffs = 0;
byte row_lock = UNLOCKED;                /* of the task */
byte step_lock = UNLOCKED;
bit is_checked = 0, fits = 0;            /* the context */
bit is_late = 0, is_timed_out = 0;
bit is_cancelled = 0;
bit is_faulty = 0;                       /* no server can process the result */
byte faults_counted = 0;
byte in_flight = 0, unfinished = 1, failed = 0;
byte restarts = RESTARTS;
byte faults = FAULTS;
byte running[WORKERS];                   /* the handoff that a worker runs */
byte time_outs = 0;                      /* for the properties only */

#define free (row_lock == UNLOCKED)
#define step_free (step_lock == UNLOCKED)
#define is_over (task == COMPLETE || task == CANCELLED || ((task == ERROR \
  || task == BLOCKED_BY_FAILURES) && restarts == 0))

/* At every commit. */
inline recount() {
  assert(in_flight == (IN_FLIGHT(step) -> 1 : 0) && unfinished == (DONE(step) -> 0 : 1)
    && failed == (step == ERROR -> 1 : 0));
  assert(!ENDED(task) || !IN_FLIGHT(step))              /* an ended task has nothing in flight */
}

inline roll_up() {
  if
  :: ENDED(task)
  :: !ENDED(task) && in_flight > 0 -> roll_task(task, STEPS_IN_PROCESS)
  :: !ENDED(task) && in_flight == 0 && is_cancelled -> roll_task(task, CANCELLED)
  :: !ENDED(task) && in_flight == 0 && !is_cancelled && unfinished == 0 -> roll_task(task, COMPLETE)
  :: !ENDED(task) && in_flight == 0 && !is_cancelled && unfinished > 0 && failed > 0 ->
     roll_task(task, BLOCKED_BY_FAILURES)
  :: else
  fi
}

#ifndef WITHOUT_CHECKED
#define may_start (is_checked && !is_cancelled && !ENDED(task) && step == PENDING)
#else
#define may_start (!is_cancelled && !ENDED(task) && step == PENDING)
#endif

inline evaluate() {
  if
  :: may_start ->
     assert(fits);                                      /* a context that does not fit never runs */
     move_step(step, ENQUEUED, ORCHESTRATOR); handoffs++; in_flight++
  :: else
  fi;
  roll_up(); recount()
}

/* settle_steps; a result that raises an error is counted by record_task_fault, and parked. */
inline settle() {
  if
  :: !is_faulty && step == ENQUEUED_FOR_ORCHESTRATION ->
     move_step(step, COMPLETE, ORCHESTRATOR); in_flight--; unfinished--
  :: !is_faulty && step == ENQUEUED_AS_ERROR_FOR_ORCHESTRATION ->
     move_step(step, ERROR, ORCHESTRATOR); in_flight--; failed++
  :: is_faulty ->
     faults_counted++; printf("MSC: the result cannot be processed\n");
#ifndef WITHOUT_PARKING
     if
     :: faults_counted == FAULT_LIMIT ->
        move_step(step, ERROR, ORCHESTRATOR); in_flight--; failed++; is_faulty = 0;
        faults_counted = 0
     :: else
     fi
#endif
  fi
}

proctype worker(byte me) {
  do
  :: atomic { running[me] == 0 && step == ENQUEUED && step_free ->    /* no lock of the task */
       move_step(step, IN_PROGRESS, WORKER); running[me] = handoffs;
       printf("MSC: worker %d claims handoff %d\n", me, handoffs) }
  /* submit_results, with both roles (under the lock of the task) and with the worker's alone */
  :: atomic { running[me] != 0 && step_free ->
       if
       :: step == IN_PROGRESS && handoffs == running[me] ->
          if
          :: move_step(step, ENQUEUED_FOR_ORCHESTRATION, WORKER);
             printf("MSC: worker %d queues a success of handoff %d\n", me, running[me])
          :: move_step(step, ENQUEUED_AS_ERROR_FOR_ORCHESTRATION, WORKER);
             printf("MSC: worker %d queues a failure of handoff %d\n", me, running[me])
          fi;
          if
          :: faults > 0 -> faults--; is_faulty = 1
          :: true
          fi;
          if
          :: free -> settle(); roll_up(); recount(); printf("MSC: it is settled at once\n")
          :: true
          fi
       :: else -> printf("MSC: worker %d is told that handoff %d is stale\n", me, running[me])
       fi;
       running[me] = 0 }
  :: is_over && running[me] == 0 -> break
  od
}

/* fail_stale_task: what is offered or runs ends with the task. */
inline fail_task() {
  if
  :: step == ENQUEUED || step == IN_PROGRESS ->
     move_step(step, ERROR, RECOVERY); in_flight--; failed++
  :: else
  fi;
  if
  :: task == PENDING -> move_task(task, ERROR, RECOVERY)
  :: task != PENDING -> move_task(task, EVALUATING_RESULTS, ORCHESTRATOR);
     move_task(task, ERROR, RECOVERY)
  fi;
  recount()
}

#ifndef WITHOUT_BLOCKED
#define rests (task == BLOCKED_BY_FAILURES)
#else
#define rests false
#endif
#ifndef WITHOUT_ONCE
#define was_timed_out is_timed_out
#else
#define was_timed_out false
#endif
#ifndef WITHOUT_CANCEL_FIRST
#define ends_already is_cancelled
#else
#define ends_already false
#endif
#ifndef WITHOUT_RESULT_FIRST
#define has_result SUBMITTED(step)
#else
#define has_result false
#endif

proctype server(byte me) {
  do
  /* take_unchecked_tasks and start_validated_tasks, in one transaction */
  :: atomic { free && task == PENDING && !is_checked ->
       is_checked = 1;
       if
       :: fits -> printf("MSC: the context fits\n"); evaluate()
       :: !fits -> move_task(task, ERROR, ORCHESTRATOR);
          printf("MSC: the context does not fit\n")
       fi }
  :: atomic { free && may_start -> printf("MSC: server %d evaluates the task\n", me); evaluate() }
  /* process_step_results */
  :: atomic { free && SUBMITTED(step) && faults_counted < FAULT_LIMIT ->
       settle(); roll_up(); recount() }
  /* time_out_tasks: the decision, and then what fail_stale_task does. It holds the steps that are
   * offered or run from before the decision on. */
  :: atomic { (free && is_late && !ENDED(task) && !was_timed_out && !ends_already && !rests
       && !has_result) ->
       row_lock = me;
       printf("MSC: server %d finds that the time of the task is over\n", me);
       assert(!is_cancelled && task != BLOCKED_BY_FAILURES);
       is_timed_out = 1; time_outs++;
       assert(time_outs == 1);           /* who restarts it afterwards has no limit */
#ifndef WITHOUT_LOCK_OF_STEPS
       step_lock = me
#endif
     };
     atomic { printf("MSC: server %d fails the task\n", me); fail_task();
       row_lock = UNLOCKED; step_lock = UNLOCKED }
  :: is_over -> break
  od
}

/* Time, an operator and a cancel. */
proctype world() {
  do
  :: atomic { !is_late && !ENDED(task) -> is_late = 1 }
  :: atomic { free && step_free && !ENDED(task) && !is_cancelled ->   /* request_cancel */
       is_cancelled = 1; printf("MSC: the cancel commits\n");
       if
       :: step == PENDING -> move_step(step, CANCELLED, ORCHESTRATOR)
       :: step == ENQUEUED -> move_step(step, CANCELLED, ORCHESTRATOR); in_flight--
       :: else
       fi;
       roll_up(); recount() }
  /* act_on_task: retry; with another context when it did not fit */
  :: atomic { (free && restarts > 0 && !is_cancelled && (task == ERROR
       || task == BLOCKED_BY_FAILURES)) ->
       restarts--; printf("MSC: an operator restarts the task\n"); fits = 1; is_checked = 1;
       if
       :: task == ERROR -> move_task(task, EVALUATING_RESULTS, OPERATOR)
       :: else
       fi;
       if
       :: step == ERROR -> move_step(step, PENDING, OPERATOR); failed--
       :: else
       fi;
       evaluate() }
  :: atomic { restarts > 0 && (task == ERROR || task == BLOCKED_BY_FAILURES) -> restarts-- }
  :: is_over -> break
  od
}

init {
  byte i;
  atomic {
    if
    :: fits = 1
    :: fits = 0
    fi;
    for (i : 0 .. WORKERS - 1) { run worker(i) };
    i = 0;
    run server(1); run server(2); run world() }
}
