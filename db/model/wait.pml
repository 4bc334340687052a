/* wait: a step that waits for a signal until a time, beside another step of the same task.
 *
 * Covers: a signal that comes at the moment of the time-out, before the wait is armed, twice or
 *   never; two pollers; the wake-up of the task, which a completion beside the wait sets anew;
 *   servers that die between two transactions. Time is a small number, the database's clock. A
 *   poller is prompt: time goes on when no task is due. So a wait that ends late is one that no
 *   wake-up was set for. All servers may be away for a time.
 * Leaves out: approvals, defaults, queued signals, steps of the wait that have a handler.
 * Searched: 6733 states, depth 68, 4.6 s
 */
#include "tasker.h"

#ifdef LARGE
#define LAST 6
#define FAULTS 3
#define SIGNALS 3
#else
#define LAST 5
#define FAULTS 1
#define SIGNALS 2
#endif
#ifndef WITHOUT_STAYING_DUE_FOR_A_SIGNAL
#define DUE 2                            /* the wait is due at this time */
#else
#define DUE 4
#endif
#define AGAIN 2                          /* calculate_check_interval: looked at again then */
/* Two removals of one guard. That of a timer is a defect of the past, that of a signal was found
 * by this model. */
#ifdef WITHOUT_STAYING_DUE_FOR_A_SIGNAL
#define NOTHING_STAYS_DUE
#endif
#ifdef WITHOUT_STAYING_DUE_FOR_A_TIMER
#define NOTHING_STAYS_DUE
#undef SIGNALS
#define SIGNALS 0
#endif
#define NEVER 99
#define NO_SIGNAL 99

byte now_ = 0;
byte waiting = PENDING;
byte beside = IN_PROGRESS;
byte task = STEPS_IN_PROCESS;
byte wake_at = NEVER;
bit is_armed = 0;
byte in_flight = 1, unfinished = 2, failed = 0;
byte sent_at = NO_SIGNAL;                /* of the first signal that is not consumed */
byte mailbox = 0;
byte faults = FAULTS;
byte signals = SIGNALS;
byte row_lock = 0;
/* For the properties only. */
byte ends = 0;
bit was_away = 0;                        /* servers that were down are late */
byte in_time = NO_SIGNAL;                /* the first signal was sent then */

#define is_open (is_armed && waiting == PENDING)
#define is_over (ends == 1 && beside != IN_PROGRESS)
#define min(a, b) (a < b -> a : b)

/* roll_up_task_states with its wake-up. */
inline roll_up() {
  if
  :: in_flight > 0 -> roll_task(task, STEPS_IN_PROCESS); wake_at = min(wake_at, now_ + AGAIN)
  :: in_flight == 0 && unfinished == 0 -> roll_task(task, COMPLETE); wake_at = NEVER
  :: in_flight == 0 && unfinished > 0 && failed > 0 -> roll_task(task, BLOCKED_BY_FAILURES);
     wake_at = NEVER
  :: in_flight == 0 && unfinished > 0 && failed == 0 ->
     roll_task(task, WAITING_FOR_DEPENDENCIES);
     if
#ifndef NOTHING_STAYS_DUE
     /* A task that is due stays due: what completes here does not do what it is due for, and the
      * next round has to. */

     :: wake_at <= now_
     :: wake_at > now_ -> next_wakeup()
#else
     :: next_wakeup()
#endif
     fi
  fi
}

/* set_next_wakeups: a wait that is not due yet holds the task until then. */
inline next_wakeup() {
  if
  :: ENDED(task) || task == BLOCKED_BY_FAILURES
  :: !(ENDED(task) || task == BLOCKED_BY_FAILURES) ->
     wake_at = (is_open && DUE > now_ && in_flight == 0 -> DUE : (is_open && DUE > now_
       && DUE < now_ + AGAIN -> DUE : now_ + AGAIN))
  fi
}

/* evaluate_tasks */
inline evaluate() { pass(); roll_up(); next_wakeup() }

/* pass_waits */
inline pass() {
  if
  :: waiting == PENDING ->
     is_armed = 1;
     if
#ifndef WITHOUT_TIME_OF_SENDING
     :: mailbox > 0 && sent_at <= DUE ->
#else
     :: mailbox > 0 && now_ <= DUE && sent_at <= DUE ->
#endif
        mailbox--; sent_at = NO_SIGNAL; ends++; printf("MSC: the signal ends the wait\n");
        assert(ends == 1);               /* a wait ends once */
        move_step(waiting, COMPLETE, ORCHESTRATOR); unfinished--
     :: else ->
        if
        :: DUE <= now_ ->
           ends++; printf("MSC: the wait times out\n");
           assert(ends == 1);
           /* a signal that was sent in time wins, however late the poller is */
           assert(in_time > DUE);
           move_step(waiting, ERROR, ORCHESTRATOR); failed++
        :: else
        fi
     fi
  :: else
  fi
}

inline send() {
  signals--; mailbox++;
  if
  :: sent_at == NO_SIGNAL -> sent_at = now_
  :: else
  fi;
  if
  :: in_time == NO_SIGNAL -> in_time = now_
  :: else
  fi
}

/* advance_due_tasks. Two statements: what is due, under a lock that others skip, and the
 * evaluation. */
proctype poller(byte me) {
  do
#ifndef WITHOUT_TASK_LOCK
  :: atomic { wake_at <= now_ && row_lock == 0 -> row_lock = me };
     if
     :: atomic {
          evaluate(); row_lock = 0 }
     :: atomic { faults > 0 -> faults--; row_lock = 0; printf("MSC: poller %d dies\n", me) }
     fi
#else
  :: wake_at <= now_ && waiting == PENDING;
     atomic {
       waiting = PENDING; evaluate() }                   /* from what it has read */
#endif
  :: is_over -> break
  od
}

proctype world() {
  do
  /* send_signals: under the lock of the task; where a step waits for it the evaluation is in the
   * same transaction. */

  :: atomic { signals > 0 && row_lock == 0 && !ENDED(task) && task != BLOCKED_BY_FAILURES ->
       send(); printf("MSC: a signal is sent at %d\n", now_);
       if
       :: is_open -> evaluate()
       :: else
       fi }
#ifndef WITHOUT_SIGNAL_WAKES
  /* queue_signal, deliver_signals: the row first, and then the task is due. */
  :: atomic { signals > 0 && row_lock == 0 && !ENDED(task) && task != BLOCKED_BY_FAILURES ->
       send(); printf("MSC: a queued signal is delivered at %d\n", now_);
         wake_at = min(wake_at, now_) }
#else
  :: atomic { signals > 0 && row_lock == 0 && !ENDED(task) && task != BLOCKED_BY_FAILURES ->
       send(); printf("MSC: a queued signal is delivered at %d\n", now_) }
#endif
  :: atomic { beside == IN_PROGRESS && row_lock == 0 ->   /* complete_steps */
       move_step(beside, ENQUEUED_FOR_ORCHESTRATION, WORKER);
         move_step(beside, COMPLETE, ORCHESTRATOR);
       printf("MSC: the step beside completes at %d\n", now_);
       in_flight--; unfinished--; roll_up() }
  :: atomic { wake_at > now_ && row_lock == 0 && now_ < LAST ->
       now_++; printf("MSC: it is %d\n", now_);
       /* Neither a wait that is due nor a signal that came waits for longer than the next
        * moment. */

       assert(!(is_open && now_ > DUE) || was_away);
       assert(!(is_open && mailbox > 0) || was_away) }
  :: atomic { faults > 0 && row_lock == 0 && now_ < LAST ->
       faults--; now_++; was_away = 1; printf("MSC: no server runs until %d\n", now_) }
  :: is_over -> break
  od
}

init {
  /* The task begins with both; the wait is armed when its parents end, which is now. */
  atomic { pass(); next_wakeup(); run poller(1); run poller(2); run world() };
  (_nr_pr == 1);
  assert(ends == 1)
}
