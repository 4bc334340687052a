/* submission: requests with one identity, and the start of the task.
 *
 * Covers: two requests with the same identity at two servers, a reply that is lost and a request
 *   that is sent again, a server that dies before or after its commit, a task that is not started
 *   at once (paused template) and is started by one of two pollers.
 * Leaves out: batches of requests, other identities, the reuse of an identity after the end of its
 *   task.
 * Searched: 1061 states, depth 50, 2.7 s
 */
#include "tasker.h"

#define CLIENTS 2
#ifdef LARGE
#define FAULTS 4
#else
#define FAULTS 2
#endif

#define UNLOCKED 0

byte tasks = 0;              /* committed rows with this identity */
byte writer = UNLOCKED;      /* the transaction that has inserted the identity and not committed */
byte row_lock = UNLOCKED;    /* the row of the task */
byte task = NOTHING;
byte step = NOTHING;
byte in_flight = 0;
byte messages = 0;
bit has_wakeup = 0;
byte faults = FAULTS;
byte answers = 0;            /* replies with the uuid of the task */
byte clients = CLIENTS;

/* submit_tasks: insert … on conflict (identity_hash) do nothing. An insert waits for another one
 * that is not committed. */
proctype client(byte me) {
  bit is_paused;
again:
  atomic {
    is_paused = 0;
    if
    :: skip
    :: is_paused = 1
    fi };
#ifndef WITHOUT_IDENTITY
  atomic { writer == UNLOCKED ->
    if
    :: tasks > 0 -> goto known
    :: else -> writer = me
    fi };
#else
  /* looks first, and inserts without the unique index */
  if
  :: tasks > 0 -> goto known
  :: else
  fi;
#endif
  if
  /* commit: task, steps, message and wake-up together */
  :: atomic {
       tasks++; writer = UNLOCKED;
       printf("MSC: server %d commits the task of client %d\n", me, me);
       assert(tasks == 1);
       move_task(task, PENDING, ORCHESTRATOR); move_step(step, PENDING, ORCHESTRATOR);
#ifndef WITHOUT_WAKEUP
       has_wakeup = 1;
#endif
       if
       :: is_paused
       :: !is_paused ->
          move_step(step, ENQUEUED, ORCHESTRATOR); in_flight++; messages++;
            roll_task(task, STEPS_IN_PROCESS)
       fi }
  :: atomic { faults > 0 -> faults--; writer = UNLOCKED;
              printf("MSC: server %d dies before its commit\n", me) };
     goto again
  fi;
known:
  atomic {
    if
    :: answers++
    :: faults > 0 -> faults--; printf("MSC: the reply to client %d is lost, it asks again\n", me);
       goto again
    fi };
  atomic { assert(tasks > 0); clients-- }
}

/* advance_due_tasks: takes a due task under its lock, skip locked, and starts it. Reads and
 * writes are two statements. */
proctype poller(byte me) {
  do
#ifndef WITHOUT_TASK_LOCK
  :: atomic { has_wakeup && task == PENDING && row_lock == UNLOCKED -> row_lock = me };
#else
  :: has_wakeup && task == PENDING;
#endif
     if
     :: atomic {
          printf("MSC: poller %d starts the task\n", me);
          move_step(step, ENQUEUED, ORCHESTRATOR); in_flight++; messages++;
          roll_task(task, STEPS_IN_PROCESS); row_lock = UNLOCKED }
     :: atomic { faults > 0 -> faults--; row_lock = UNLOCKED; printf("MSC: poller %d dies\n", me) }
     fi
  :: clients == 0 && task == STEPS_IN_PROCESS -> break
  od
}


init {
  atomic { run client(1); run client(2); run poller(3); run poller(4) };
  (_nr_pr == 1);
  assert(tasks == 1 && answers == CLIENTS && step == ENQUEUED && in_flight == 1 && messages == 1
    && task == STEPS_IN_PROCESS)
}
