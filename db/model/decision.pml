/* decision: a step that chooses which of two branches are created, and a convergence that waits for
 * those that were.
 *
 * Covers: the choice stored with the result, by a server with the worker's role alone; its carrying
 *   out by one of two orchestrators; messages of results that are doubled and late; a lost worker;
 *   a cancel before, between and after.
 * Leaves out: choices that are not allowed, decisions below decisions, decisions by rules (they are
 *   a completion).
 * Searched: 768 states, depth 108, 2.9 s
 */
#include "tasker.h"

#ifdef LARGE
#define FAULTS 3
#define MESSAGES 4
#else
#define FAULTS 1
#define MESSAGES 3
#endif
#define UNLOCKED 0
#define NOT_CHOSEN 0

byte decision = IN_PROGRESS;
byte branch[2];
byte convergence = PENDING;
byte parents_left = 0;
byte task = STEPS_IN_PROCESS;
byte chosen = NOT_CHOSEN;                /* bit 1: the first branch, bit 2: the second */
bit is_carried_out = 0;                  /* decision_outcomes.created_steps is not null */
bit is_cancelled = 0;
byte row_lock = UNLOCKED;
byte messages = 0;
byte in_flight = 1, unfinished = 2;
byte faults = FAULTS;
byte created[2];                         /* for the properties only */

inline recount() {
  assert(in_flight == (IN_FLIGHT(decision) -> 1 : 0) + (IN_FLIGHT(branch[0]) ->
    1 : 0) + (IN_FLIGHT(branch[1]) -> 1 : 0)
    + (IN_FLIGHT(convergence) -> 1 : 0));
  assert(unfinished == (DONE(decision) -> 0 : 1) + (branch[0] == NOTHING || DONE(branch[0]) ->
    0 : 1)
    + (branch[1] == NOTHING || DONE(branch[1]) -> 0 : 1) + (DONE(convergence) -> 0 : 1))
}

inline roll_up() {
  if
  :: ENDED(task)
  :: !ENDED(task) && in_flight > 0 -> roll_task(task, STEPS_IN_PROCESS)
  :: !ENDED(task) && in_flight == 0 && is_cancelled -> roll_task(task, CANCELLED)
  :: !ENDED(task) && in_flight == 0 && !is_cancelled && unfinished == 0 -> roll_task(task, COMPLETE)
  :: !ENDED(task) && in_flight == 0 && !is_cancelled && unfinished > 0 ->
     roll_task(task, WAITING_FOR_DEPENDENCIES)
  fi;
  recount()
}

inline create(b) {
  if
  :: chosen & (1 << b) ->
     /* each once, and none after a cancel */
     created[b]++; assert(created[b] == 1 && !is_cancelled);
     move_step(branch[b], PENDING, ORCHESTRATOR); unfinished++; parents_left++;
     move_step(branch[b], ENQUEUED, ORCHESTRATOR); in_flight++
  :: else
  fi
}

/* expand_decisions, in the transaction that settles the decision. */
inline expand() {
  if
#ifndef WITHOUT_CARRIED_OUT_ONCE
  :: chosen != NOT_CHOSEN && !is_carried_out ->
#else
  :: chosen != NOT_CHOSEN ->
#endif
     is_carried_out = 1;
     if
#ifndef WITHOUT_CHECK_OF_CANCEL
     :: !is_cancelled ->
#else
     :: true ->
#endif
        create(0); create(1); printf("MSC: the choice %d is carried out\n", chosen)
#ifndef WITHOUT_CHECK_OF_CANCEL
     :: is_cancelled
#endif
     fi
  :: else
  fi
}

inline finish(s) {
  move_step(s, COMPLETE, ORCHESTRATOR); in_flight--; unfinished--
}

/* The worker that decides. It submits with the worker's role alone: no lock of the task, and a
 * message. */
proctype worker() {
  do
  :: atomic { decision == IN_PROGRESS ->
       move_step(decision, ENQUEUED_FOR_ORCHESTRATION, WORKER); messages++;
       if
       :: chosen = 1
       :: chosen = 2
       :: chosen = 3
       fi;
       printf("MSC: the worker chooses %d\n", chosen); break }
  :: atomic { faults > 0 && decision == IN_PROGRESS && row_lock == UNLOCKED -> faults--;
              printf("MSC: the worker is lost\n");
       if
       :: is_cancelled -> move_step(decision, CANCELLED, RECOVERY); in_flight--; roll_up(); break
       :: !is_cancelled -> move_step(decision, PENDING, RECOVERY);
          move_step(decision, ENQUEUED, ORCHESTRATOR);
          move_step(decision, IN_PROGRESS, WORKER)
       fi }
  od
}

/* process_step_results: under the lock of the task, from rows, so that a message may come twice.
 * Two of them. */
proctype orchestrator(byte me) {
  bit is_submitted;
  do
#ifndef WITHOUT_TASK_LOCK
  :: atomic { messages > 0 && !ENDED(task) && row_lock == UNLOCKED -> row_lock = me;
              is_submitted = SUBMITTED(decision) };
#else
  :: atomic { messages > 0 && !ENDED(task) -> is_submitted = SUBMITTED(decision) };
#endif
     if
     :: atomic {
          if
          :: messages > 0 -> messages--
          :: else
          fi;
          if
          :: faults > 0 && messages < MESSAGES -> faults--; messages++;
             printf("MSC: the message of the result comes twice\n")
          :: true
          fi;
          if
          :: is_submitted -> finish(decision); expand()  /* as it was read: the lock keeps it */
          :: !is_submitted && DONE(decision) -> expand()
          :: else
          fi;
          roll_up(); row_lock = UNLOCKED; is_submitted = 0 }
     :: atomic { faults > 0 -> faults--; row_lock = UNLOCKED; is_submitted = 0;
                 printf("MSC: orchestrator %d dies\n", me) }
     fi
  /* Branches and the convergence, run by any server with both roles. */
  :: atomic { row_lock == UNLOCKED && (branch[0] == ENQUEUED || branch[1] == ENQUEUED) ->
       byte b;
       b = (branch[0] == ENQUEUED -> 0 : 1);
       move_step(branch[b], IN_PROGRESS, WORKER);
         move_step(branch[b], ENQUEUED_FOR_ORCHESTRATION, WORKER); finish(branch[b]);
       b = 0;
       parents_left--;
       if
#ifndef WITHOUT_WAIT_FOR_BRANCHES
       :: parents_left == 0 && !is_cancelled ->
#else
       :: convergence == PENDING && !is_cancelled ->
#endif
          assert(!IN_FLIGHT(branch[0]) && !IN_FLIGHT(branch[1]));
          move_step(convergence, ENQUEUED, ORCHESTRATOR); in_flight++
       :: else
       fi;
       roll_up() }
  :: atomic { row_lock == UNLOCKED && convergence == ENQUEUED ->
       move_step(convergence, IN_PROGRESS, WORKER);
         move_step(convergence, ENQUEUED_FOR_ORCHESTRATION, WORKER);
       finish(convergence); roll_up() }
  :: ENDED(task) -> break
  od
}

inline withdraw(s) {
  if
  :: s == PENDING -> move_step(s, CANCELLED, ORCHESTRATOR)
  :: s == ENQUEUED -> move_step(s, CANCELLED, ORCHESTRATOR); in_flight--
  :: else
  fi
}

proctype operator_cancels() {
  if
  :: atomic { row_lock == UNLOCKED && !ENDED(task) ->
       is_cancelled = 1; printf("MSC: the cancel commits\n");
       withdraw(branch[0]); withdraw(branch[1]); withdraw(convergence); roll_up() }
  :: skip
  fi
}

init {
  atomic { run worker(); run orchestrator(1); run orchestrator(2); run operator_cancels() };
  (_nr_pr == 1);
  assert(ENDED(task));
  /* A step of a finished task cannot move. */
  assert(!IN_FLIGHT(branch[0]) && !IN_FLIGHT(branch[1]) && branch[0] != PENDING
    && branch[1] != PENDING && convergence != PENDING)
}
