/* child: a step that waits for a child task, which ends while the parent is cancelled.
 *
 * Covers: the notice of the child's end, the notice that a cancelled parent sends, their delivery
 *   under one lock, skipping receivers that are locked; a child that is blocked; a timeout of the
 *   parent's step; servers that die between two transactions. No transaction holds the locks of two
 *   tasks, but a cancel with its children, which locks by age.
 * Leaves out: more children, another child after a failure, outputs, compensation.
 * Searched: 1497 states, depth 58, 1.7 s
 */
#include "tasker.h"

#ifdef LARGE
#define FAULTS 4
#else
#define FAULTS 2
#endif
#define UNLOCKED 0

byte parent = WAITING_FOR_DEPENDENCIES;
byte waiting = PENDING;                  /* the step of the parent */
byte child = STEPS_IN_PROCESS;
byte work = IN_PROGRESS;                 /* the step of the child */
byte parent_lock = UNLOCKED, child_lock = UNLOCKED;
bit parent_is_cancelled = 0, child_is_cancelled = 0;
bit is_timed_out = 0;
byte end_notices = 0, cancel_notices = 0;
byte faults = FAULTS;
bit is_decided = 0;                      /* the operator does nothing more */
byte ends = 0;                           /* of the wait; for the properties only */

#define child_rests (ENDED(child) || child == BLOCKED_BY_FAILURES)
#define parent_rests (ENDED(parent) || parent == BLOCKED_BY_FAILURES)

/* tell_end_of_task: a trigger, in the transaction of the end. */
inline end_child(t) {
  roll_task(child, t);
#ifndef WITHOUT_NOTICE_OF_END
  end_notices++
#endif
}

inline cancel_child() {
  child_is_cancelled = 1; printf("MSC: the child is cancelled\n");
  if
  :: work == ENQUEUED -> move_step(work, CANCELLED, ORCHESTRATOR); end_child(CANCELLED)
  :: work == ERROR -> end_child(CANCELLED)
  :: else                                /* the running step is asked to stop */
  fi
}

/* cancel_waits: the child is told by a notice, because its lock must not be taken here. */
inline tell_child() {
  skip;
#ifndef WITHOUT_NOTICE_OF_CANCEL
  if
  :: !ENDED(child) -> cancel_notices++
  :: else
  fi
#endif
}

/* pass_child_waits: under the lock of the parent alone. */
#ifndef WITHOUT_STATE_OF_WAITING
#define is_waiting (waiting == PENDING)
#else
#define is_waiting true
#endif

inline look_at_child() {
  if
  :: !is_waiting
  :: is_waiting && !child_rests && !is_timed_out
  :: is_waiting && child == COMPLETE ->
     ends++; assert(ends == 1); move_step(waiting, COMPLETE, ORCHESTRATOR);
       roll_task(parent, COMPLETE)
  :: is_waiting && child_rests && child != COMPLETE ->
     ends++; assert(ends == 1); move_step(waiting, ERROR, ORCHESTRATOR);
       roll_task(parent, BLOCKED_BY_FAILURES)
  :: is_waiting && !child_rests && is_timed_out ->
     ends++; assert(ends == 1); move_step(waiting, ERROR, ORCHESTRATOR);
       roll_task(parent, BLOCKED_BY_FAILURES);
     tell_child()
  fi
}

/* The worker of the child, on a server with both roles. */
proctype worker() {
  do
  :: atomic { work == IN_PROGRESS && child_lock == UNLOCKED ->
       if
       :: move_step(work, ENQUEUED_FOR_ORCHESTRATION, WORKER);
          move_step(work, COMPLETE, ORCHESTRATOR);
          printf("MSC: the step of the child completes\n");
          if
          :: child_is_cancelled -> end_child(CANCELLED)
          :: else -> end_child(COMPLETE)
          fi
       :: !child_is_cancelled ->
          move_step(work, ENQUEUED_AS_ERROR_FOR_ORCHESTRATION, WORKER);
            move_step(work, ERROR, ORCHESTRATOR);
          printf("MSC: the step of the child fails\n"); end_child(BLOCKED_BY_FAILURES)
       :: child_is_cancelled -> move_step(work, CANCELLED, WORKER); end_child(CANCELLED)
       fi;
       break }
  :: work != IN_PROGRESS -> break
  od
}

/* deliver_notices of any server: locks the receiver, skip locked; deletes the notice; acts;
 * commits. */
proctype server(byte me) {
  do
  :: atomic { end_notices > 0 && parent_lock == UNLOCKED -> parent_lock = me };
     if
     :: atomic { end_notices > 0 ->
#ifndef WITHOUT_ONE_TRANSACTION
          end_notices--;
          if
          :: !ENDED(parent) -> printf("MSC: server %d tells the parent\n", me); look_at_child()
          :: else
          fi;
          parent_lock = UNLOCKED }
#else
          end_notices--; parent_lock = UNLOCKED };
        if
        :: atomic { !ENDED(parent) -> look_at_child() }
        :: ENDED(parent)
        :: atomic { faults > 0 -> faults--;
                    printf("MSC: server %d dies, and the notice is gone\n", me) }
        fi
#endif
     :: atomic { faults > 0 -> faults--; parent_lock = UNLOCKED; printf("MSC: server %d dies\n", me) }
     fi
  :: atomic { cancel_notices > 0 && child_lock == UNLOCKED -> child_lock = me };
     if
     :: atomic { cancel_notices > 0 ->
          cancel_notices--;
          if
          :: !ENDED(child) && !child_is_cancelled -> cancel_child()
          :: else
          fi;
          child_lock = UNLOCKED }
     :: atomic { faults > 0 -> faults--; child_lock = UNLOCKED; printf("MSC: server %d dies\n", me) }
     :: atomic { cancel_notices == 0 -> child_lock = UNLOCKED }
     fi
  :: is_decided && parent_rests && end_notices == 0 && cancel_notices == 0 && (ENDED(child)
     || (child == BLOCKED_BY_FAILURES && !ENDED(parent))) -> break
  od
}

/* request_cancel of the parent, with and without its children, and the timeout of its step. */
proctype operator_cancels() {
  if
  :: atomic { parent_lock == UNLOCKED -> parent_lock = 9 };
     if
     :: atomic { ENDED(parent) -> parent_lock = UNLOCKED }
     :: !ENDED(parent) ->                               /* children: cancel */
        atomic { child_lock == UNLOCKED -> child_lock = 9 };
        atomic {
          parent_is_cancelled = 1; printf("MSC: the parent is cancelled with its child\n");
          if
          :: waiting == PENDING -> move_step(waiting, CANCELLED, ORCHESTRATOR)
          :: else
          fi;
          if
          :: !ENDED(child) -> cancel_child()
          :: else
          fi;
          roll_task(parent, CANCELLED); parent_lock = UNLOCKED; child_lock = UNLOCKED }
     :: atomic { !ENDED(parent) ->
          parent_is_cancelled = 1; printf("MSC: the parent is cancelled\n");
          if
          :: waiting == PENDING -> move_step(waiting, CANCELLED, ORCHESTRATOR); tell_child()
          :: else -> tell_child()
          fi;
          roll_task(parent, CANCELLED); parent_lock = UNLOCKED }
     fi
  :: atomic { is_timed_out = 1; printf("MSC: the time of the child is over\n") };
     if
     :: atomic { parent_lock == UNLOCKED && !ENDED(parent) -> look_at_child() }
     :: ENDED(parent)
     fi
  :: skip
  fi;
  is_decided = 1
}

init {
  atomic { run worker(); run server(1); run server(2); run operator_cancels() };
  (_nr_pr == 1);
  assert(parent_rests && child_rests);
  assert(!ENDED(parent) || ENDED(child))  /* an ended parent leaves no child */
}
