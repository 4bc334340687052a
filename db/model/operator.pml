/* operator: operators who act on two steps in a row and on their task, beside the engine.
 *
 * Covers: reset, completion and closing of a step that failed, waits for its retry or has not
 *   started; retry of a task, also of one that has ended in error; rerun from a step that is done;
 *   failing and closing of a task; a cancel before the start and while a step waits for its retry;
 *   a paused template; yields; operators who act on what they saw some time ago;
 *   results of lost workers that come after a reset.
 * Leaves out: batches, decisions and children of the steps, repeated requests of one operator,
 *   inputs and results, the time of a retry: it may have come at any evaluation.
 * Searched: 111745 states, depth 251, 6.5 s
 */
#include "tasker.h"

#define WORKERS 2
#define ACTIONS 2
#define FAULTS 2
#define MAX_ATTEMPTS 2

#define RESET 0
#define COMPLETING 1
#define RESOLVING 2
#define RETRY 3
#define RERUN 4
#define FAILING 5
#define CLOSING 6
#define CANCELLING 7

byte step[2];
byte handoffs[2];
byte attempts[2];
byte before_reset[2];                    /* how many of them do not count any more */
byte parents_left = 1;                   /* of the second step */
byte task = PENDING;
bit is_paused = 1;
bit is_cancelled = 0;
byte in_flight = 0, unfinished = 2, failed = 0, retrying = 0;
byte faults = FAULTS;                    /* failures, yields, deaths */
byte actions = ACTIONS;
byte running[WORKERS];                   /* 1 + the step that a worker runs, as it believes */
byte fence[WORKERS];
/* For the properties only. */
bit is_lost[WORKERS];                    /* what this worker runs was recovered */

#define is_over (task == COMPLETE || task == CANCELLED || task == RESOLVED_MANUALLY \
  || ((task == ERROR || task == BLOCKED_BY_FAILURES) && actions == 0))
#define is_movable(s) (s == ERROR || s == WAITING_FOR_RETRY || s == PENDING)
#define tries(s) (attempts[s] - before_reset[s])
#define may_start (!is_cancelled && !is_paused && !ENDED(task) && failed == 0)

inline recount() {
  assert(in_flight == (IN_FLIGHT(step[0]) -> 1 : 0) + (IN_FLIGHT(step[1]) -> 1 : 0));
  assert(unfinished == (DONE(step[0]) -> 0 : 1) + (DONE(step[1]) -> 0 : 1));
  assert(failed == (step[0] == ERROR -> 1 : 0) + (step[1] == ERROR -> 1 : 0));
  assert(retrying == (step[0] == WAITING_FOR_RETRY -> 1 : 0)
    + (step[1] == WAITING_FOR_RETRY -> 1 : 0));
  /* An ended task has nothing in flight, and a cancelled one nothing that waits. */
  assert(!ENDED(task) || in_flight == 0);
  assert(task != CANCELLED || !(step[0] == PENDING || step[0] == WAITING_FOR_RETRY
    || step[1] == PENDING || step[1] == WAITING_FOR_RETRY))
}

inline roll_up() {
  if
  :: ENDED(task)
  :: !ENDED(task) && in_flight > 0 -> roll_task(task, STEPS_IN_PROCESS)
  :: !ENDED(task) && in_flight == 0 && is_cancelled -> roll_task(task, CANCELLED)
  :: !ENDED(task) && in_flight == 0 && !is_cancelled && unfinished == 0 -> roll_task(task, COMPLETE)
  :: !ENDED(task) && in_flight == 0 && !is_cancelled && unfinished > 0 && failed > 0 ->
     roll_task(task, BLOCKED_BY_FAILURES)
  :: (!ENDED(task) && in_flight == 0 && !is_cancelled && unfinished > 0 && failed == 0
      && retrying > 0) -> roll_task(task, WAITING_FOR_RETRY)
  :: (!ENDED(task) && in_flight == 0 && !is_cancelled && unfinished > 0 && failed == 0
      && retrying == 0) -> roll_task(task, WAITING_FOR_DEPENDENCIES)
  fi;
  recount()
}

inline hand_off(s) {
  assert(!is_cancelled && !ENDED(task));                /* cancelled work never starts */
  assert(s == 0 || DONE(step[0]));                      /* nor a child beside its parent */
  if
  :: step[s] == WAITING_FOR_RETRY -> retrying--
  :: else
  fi;
  move_step(step[s], ENQUEUED, ORCHESTRATOR); handoffs[s]++; attempts[s]++; in_flight++;
  assert(tries(s) <= MAX_ATTEMPTS)
}

/* evaluate_tasks: hands off what is ready. */
inline evaluate() {
  if
  :: may_start && (step[0] == PENDING || step[0] == WAITING_FOR_RETRY) -> hand_off(0)
  :: may_start && step[0] == WAITING_FOR_RETRY          /* its time has not come */
  :: may_start && parents_left == 0 && (step[1] == PENDING || step[1] == WAITING_FOR_RETRY) ->
     hand_off(1)
  :: may_start && step[1] == WAITING_FOR_RETRY
  :: else
  fi;
  roll_up()
}

/* A recount: move_steps_by_operator counts anew what the children of a step wait for. */
inline count_parents() {
#ifndef WITHOUT_RECOUNT
  parents_left = (DONE(step[0]) -> 0 : 1)
#else
  if
  :: DONE(step[0]) -> parents_left = 0
  :: else
  fi
#endif
}

inline settle(s) {
  if
  :: step[s] == ENQUEUED_FOR_ORCHESTRATION ->
     move_step(step[s], COMPLETE, ORCHESTRATOR); in_flight--; unfinished--; count_parents()
  :: step[s] == ENQUEUED_AS_ERROR_FOR_ORCHESTRATION && tries(s) < MAX_ATTEMPTS ->
     if
     :: is_cancelled -> move_step(step[s], CANCELLED, ORCHESTRATOR); in_flight--
     :: !is_cancelled -> move_step(step[s], WAITING_FOR_RETRY, ORCHESTRATOR); in_flight--;
        retrying++
     fi
  fi
}

#define mine (running[me] - 1)
#define is_current (step[mine] == IN_PROGRESS && handoffs[mine] == fence[me])

inline take(s) {
  printf("MSC: worker %d claims step %d as handoff %d\n", me, s, handoffs[s]);
  move_step(step[s], IN_PROGRESS, WORKER); running[me] = 1 + s; fence[me] = handoffs[s]
}

proctype worker(byte me) {
  do
  :: atomic { running[me] == 0 && step[0] == ENQUEUED -> take(0) }    /* no lock of the task */
  :: atomic { running[me] == 0 && step[1] == ENQUEUED -> take(1) }
  /* complete_steps */
  :: atomic { running[me] != 0 ->
       if
       :: is_current ->
          assert(!is_lost[me]);                         /* a stale caller changes nothing */
          if
          :: printf("MSC: worker %d submits a success of step %d\n", me, mine);
             move_step(step[mine], ENQUEUED_FOR_ORCHESTRATION, WORKER); settle(mine)
          :: faults > 0 -> faults--;
             move_step(step[mine], ENQUEUED_AS_ERROR_FOR_ORCHESTRATION, WORKER);
             if
             :: tries(mine) < MAX_ATTEMPTS ->
                printf("MSC: worker %d submits a failure of step %d\n", me, mine); settle(mine)
             :: printf("MSC: worker %d submits a permanent failure of step %d\n", me, mine);
                move_step(step[mine], ERROR, ORCHESTRATOR); in_flight--; failed++
             fi
#ifndef WITHOUT_YIELD_OF_CANCELLED
          :: faults > 0 && is_cancelled -> faults--;    /* judge_yields */
             move_step(step[mine], CANCELLED, WORKER); in_flight--
          :: faults > 0 && !is_cancelled -> faults--;
#else
          :: faults > 0 -> faults--;
#endif
             printf("MSC: worker %d yields step %d\n", me, mine);
             move_step(step[mine], WAITING_FOR_RETRY, WORKER); in_flight--; retrying++;
#ifndef WITHOUT_YIELD_REFUND
             attempts[mine]--
#endif
          fi;
          evaluate()
       :: else -> printf("MSC: worker %d is told that its handoff is stale\n", me)
       fi;
       running[me] = 0; fence[me] = 0; is_lost[me] = 0 }
  :: is_over && running[me] == 0 -> break
  od
}

/* recover_expired_steps: the worker lives on, with a stale handoff. */
inline lose(s) {
  faults--; printf("MSC: the lease of step %d ends\n", s);
  for (w : 0 .. WORKERS - 1) {
    if
    :: running[w] == 1 + s -> is_lost[w] = 1
    :: else
    fi };
  w = 0;
  if
  :: is_cancelled -> move_step(step[s], CANCELLED, RECOVERY); in_flight--
  :: !is_cancelled && tries(s) < MAX_ATTEMPTS ->
     move_step(step[s], PENDING, RECOVERY); in_flight--
  :: !is_cancelled && tries(s) >= MAX_ATTEMPTS ->
     move_step(step[s], ERROR, RECOVERY); in_flight--; failed++
  fi;
  evaluate()
}

proctype server() {
  byte w;
  do
  :: atomic { is_paused && !ENDED(task) ->
       is_paused = 0; printf("MSC: the template is resumed\n"); evaluate() }
  :: atomic { (may_start && (step[0] == WAITING_FOR_RETRY || step[1] == WAITING_FOR_RETRY
       || step[0] == PENDING || (step[1] == PENDING && parents_left == 0))) -> evaluate() }
  :: atomic { faults > 0 && step[0] == IN_PROGRESS -> lose(0) }
  :: atomic { faults > 0 && step[1] == IN_PROGRESS -> lose(1) }
  :: is_over -> break
  od
}

/* apply_step_moves: by compare and set. What an operator was shown may be old. */
inline move_if(s, t) {
  if
  :: step[s] == read[s] ->
     assert(s == 1 || t != PENDING || !IN_FLIGHT(step[1]));  /* no parent runs beside its child */
     if
     :: step[s] == ERROR -> failed--
     :: step[s] == WAITING_FOR_RETRY -> retrying--
     :: DONE(step[s]) -> unfinished++
     :: else
     fi;
     move_step(step[s], t, OPERATOR);
     if
     :: DONE(t) -> unfinished--
     :: else ->
        before_reset[s] = attempts[s];
#ifdef WITHOUT_NUMBERS_STAY
        handoffs[s] = 0
#endif
     fi
  :: else
  fi
}

#ifndef WITHOUT_STATE
#define is_for_reset (read[s] == ERROR || read[s] == WAITING_FOR_RETRY)
#define is_for_end is_movable(read[s])
#else
#define is_for_reset (read[s] != NOTHING)
#define is_for_end (read[s] != NOTHING)
#endif
#ifndef WITHOUT_SEEN
#define is_as_seen (seen == attempts[s])
#else
#define is_as_seen true
#endif
#ifndef WITHOUT_ENDED
#define lives (!ENDED(task))
#else
#define lives true
#endif
#ifndef WITHOUT_BUSY
#define is_idle(n) (!IN_FLIGHT(read[1]) && (n == 1 || !IN_FLIGHT(read[0])))
#else
#define is_idle(n) true
#endif
#define is_open (task != COMPLETE && task != CANCELLED && task != RESOLVED_MANUALLY)

/* judge_step_action and act_on_step, judge_restart and act_on_task */
inline act_on() {
  if
  :: (act <= RESOLVING && lives && !is_cancelled && is_as_seen
      && (act == RESET -> is_for_reset : is_for_end)) ->
     if
     :: act == RESET -> printf("MSC: an operator who has seen attempt %d resets step %d\n",
          seen, s)
     :: act == COMPLETING -> printf("MSC: an operator who has seen attempt %d completes step %d\n",
          seen, s)
     :: act == RESOLVING -> printf("MSC: an operator who has seen attempt %d closes step %d\n",
          seen, s)
     fi;
     /* A stale operator changes nothing, and no step of an ended task moves. */
     assert(!ENDED(task) && seen == attempts[s]);
     if
     :: act == RESET -> move_if(s, PENDING)
     :: act == COMPLETING -> move_if(s, COMPLETE)
     :: act == RESOLVING -> move_if(s, RESOLVED_MANUALLY)
     fi;
     count_parents(); evaluate()
  :: (act == RETRY && is_open && !is_cancelled && (read[0] == ERROR || read[0] == WAITING_FOR_RETRY
      || read[1] == ERROR || read[1] == WAITING_FOR_RETRY)) ->
     printf("MSC: an operator retries the task\n");
     if
     :: task == ERROR -> move_task(task, EVALUATING_RESULTS, OPERATOR)
     :: else
     fi;
     if
     :: read[0] == ERROR || read[0] == WAITING_FOR_RETRY -> move_if(0, PENDING)
     :: else
     fi;
     if
     :: read[1] == ERROR || read[1] == WAITING_FOR_RETRY -> move_if(1, PENDING)
     :: else
     fi;
     count_parents(); evaluate()
  :: (act == RERUN && is_open && !is_cancelled && is_idle(s)
      && (s == 0 || DONE(read[1]) || read[1] == ERROR || read[1] == WAITING_FOR_RETRY)
      && (s == 1 || DONE(read[0]) || read[0] == ERROR || read[0] == WAITING_FOR_RETRY)) ->
     printf("MSC: an operator reruns the task from step %d\n", s);
     if
     :: task == ERROR -> move_task(task, EVALUATING_RESULTS, OPERATOR)
     :: else
     fi;
     if
     :: DONE(read[1]) || read[1] == ERROR || read[1] == WAITING_FOR_RETRY -> move_if(1, PENDING)
     :: else
     fi;
     if
     :: s == 0 -> move_if(0, PENDING)
     :: s == 1
     fi;
     count_parents(); evaluate()
  :: act == FAILING && task == BLOCKED_BY_FAILURES -> move_task(task, ERROR, OPERATOR);
     printf("MSC: an operator fails the task\n")
  :: act == CLOSING && (task == BLOCKED_BY_FAILURES || task == ERROR) ->
     move_task(task, RESOLVED_MANUALLY, OPERATOR); printf("MSC: an operator closes the task\n")
  :: act == CANCELLING && !ENDED(task) && !is_cancelled ->   /* request_cancel, allow_finish */
     is_cancelled = 1; printf("MSC: an operator cancels the task\n");
     for (s : 0 .. 1) {
       if
       :: step[s] == PENDING -> move_step(step[s], CANCELLED, ORCHESTRATOR)
       :: step[s] == WAITING_FOR_RETRY -> move_step(step[s], CANCELLED, ORCHESTRATOR); retrying--
       :: step[s] == ENQUEUED -> move_step(step[s], CANCELLED, ORCHESTRATOR); in_flight--
       :: else
       fi };
     roll_up()
  :: else                                               /* refused */
  fi
}

proctype operator() {
  byte s, act, seen;
  byte read[2];
  do
  :: atomic { actions > 0 && !is_over ->                /* what the console shows */
       if
       :: s = 0
       :: s = 1
       fi;
       if
       :: act = RESET
       :: act = COMPLETING
       :: act = RESOLVING
       :: act = RETRY
       :: act = RERUN
       :: act = FAILING
       :: act = CLOSING
       :: act = CANCELLING
       fi;
       seen = attempts[s] };
     /* The transaction holds its task throughout. */
#ifndef WITHOUT_TASK_LOCK
     atomic {
       read[0] = step[0]; read[1] = step[1];
#else
     atomic { read[0] = step[0]; read[1] = step[1] };
     atomic {
#endif
       if
       :: actions > 0 -> actions--; act_on()
       :: actions == 0
       fi;
       s = 0; act = 0; seen = 0; read[0] = 0; read[1] = 0 }
  :: atomic { actions > 0 -> actions = 0 }              /* they leave it at that */
  :: is_over || actions == 0 -> break
  od
}

init {
  byte i;
  atomic {
    step[0] = PENDING; step[1] = PENDING;
    for (i : 0 .. WORKERS - 1) { run worker(i) };
    i = 0;
    run server(); run operator();
#ifdef LARGE
    run operator()
#endif
  }
}
