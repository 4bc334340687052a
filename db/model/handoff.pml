/* handoff: one step from its offer to its end, under every fault that leaves the database whole.
 *
 * Covers: handoff and offer, claim by two workers, lease and heartbeat, result submitted twice and
 *   late, by a server with both roles and by one with the worker's alone, settling, retry, recovery
 *   of a lost server, revoked offer, release. A message may be lost, doubled and late; a worker may
 *   die between any two transactions; a lease may end at any moment, so that no clock is trusted
 *   but the database's.
 * Leaves out: other steps, cancels and operators (cancel), what is claimed without a message (it is
 *   a claim), the priority of a claim, backoff times. A server that recovers or orchestrates keeps
 *   nothing between two transactions: one process stands for any number of them.
 * Searched: 136614 states, depth 152, 9.9 s
 */
#include "tasker.h"

#ifdef LARGE
#define WORKERS 3
#define FAULTS 2
#else
#define WORKERS 2
#define FAULTS 1
#endif
#define MAX_ATTEMPTS 2
#define HANDOFFS (MAX_ATTEMPTS + FAULTS)

#define NO_LEASE 0
#define LIVE 1
#define OVER 2

byte step = NOTHING;
byte task = NOTHING;
byte handoffs = 0;
byte attempts = 0;
byte lease = NO_LEASE;
bit outcome = 0;                         /* of the submitted result: 1 for a success */
bit is_due = 0;                          /* the time of the retry has come */
byte in_flight = 0, unfinished = 1, failed = 0, retrying = 0;
byte faults = FAULTS;                    /* messages lost or doubled, deaths of workers, releases */
chan queue = [3] of { byte };            /* offers: the handoff; taken in any order */
byte results = 0;                        /* messages of submitted results */
byte running[WORKERS];                   /* the handoff that a worker runs, as it believes */
/* For the properties only. */
bit was_claimed[HANDOFFS + 1];
bit has_ended[HANDOFFS + 1];
byte completions = 0;

#define ends_or_rests (ENDED(task) || task == BLOCKED_BY_FAILURES)
ltl no_lost_step { <> ends_or_rests }

/* Counters equal a recount at every commit. */
inline recount() {
  assert(in_flight == (IN_FLIGHT(step) -> 1 : 0));
  assert(unfinished == (DONE(step) -> 0 : 1));
  assert(failed == (step == ERROR -> 1 : 0));
  assert(retrying == (step == WAITING_FOR_RETRY -> 1 : 0))
}

inline roll_up() {
  if
  :: in_flight > 0 -> roll_task(task, STEPS_IN_PROCESS)
  :: in_flight == 0 && unfinished == 0 -> roll_task(task, COMPLETE)
  :: in_flight == 0 && unfinished > 0 && failed > 0 -> roll_task(task, BLOCKED_BY_FAILURES)
  :: in_flight == 0 && unfinished > 0 && failed == 0 && retrying > 0 ->
     roll_task(task, WAITING_FOR_RETRY)
  :: in_flight == 0 && unfinished > 0 && failed == 0 && retrying == 0 ->
     roll_task(task, WAITING_FOR_DEPENDENCIES)
  fi;
  recount()
}

/* enqueue_steps: state, numbers and message in one transaction. */
inline hand_off() {
  if
  :: step == WAITING_FOR_RETRY -> retrying--
  :: else
  fi;
  move_step(step, ENQUEUED, ORCHESTRATOR);
  handoffs++; attempts++; in_flight++; is_due = 0;
  assert(attempts <= MAX_ATTEMPTS && handoffs <= HANDOFFS);
  if
  :: nfull(queue) -> queue!handoffs
  :: full(queue)
  fi
}

/* settle_steps */
inline settle() {
  if
  :: step == ENQUEUED_FOR_ORCHESTRATION ->
     move_step(step, COMPLETE, ORCHESTRATOR); in_flight--; unfinished--; completions++;
     printf("MSC: an orchestrator completes the step\n");
     assert(completions == 1)
  :: step == ENQUEUED_AS_ERROR_FOR_ORCHESTRATION ->
     if
#ifndef WITHOUT_LIMIT
     :: attempts < MAX_ATTEMPTS ->
#else
     :: true ->
#endif
        move_step(step, WAITING_FOR_RETRY, ORCHESTRATOR); in_flight--; retrying++
#ifndef WITHOUT_LIMIT
     :: attempts >= MAX_ATTEMPTS ->
        move_step(step, ERROR, ORCHESTRATOR); in_flight--; failed++
#endif
     fi
  fi
}

/* claim_queued_steps: takes a message, then compares (enqueued, handoff) under the row lock of the
 * step. Between the two the message is held, the step is not; a rollback brings the message
 * back. */
proctype worker(byte me) {
  byte h = 0;
  byte h_done = 0;
  bit is_success = 0;
  do
  :: atomic { running[me] == 0 && h_done == 0 && nempty(queue) ->
       if
       :: queue?h
       :: len(queue) > 1 -> queue?h; queue!h; queue?h
       fi };
     if
     :: atomic {
          if
#ifdef WITHOUT_CLAIM_STATE
          :: handoffs == h ->
#else
#ifdef WITHOUT_CLAIM_HANDOFF
          :: step == ENQUEUED ->
#else
          :: step == ENQUEUED && handoffs == h ->
#endif
#endif
             printf("MSC: worker %d claims handoff %d\n", me, h);
             assert(!was_claimed[h] && !has_ended[h] && h == handoffs);
             was_claimed[h] = 1;
             move_step(step, IN_PROGRESS, WORKER); lease = LIVE;
             if
             :: running[me] = h
             :: faults > 0 -> faults--; printf("MSC: the reply to worker %d is lost\n", me)
             fi
          :: else -> printf("MSC: worker %d drops the message of handoff %d\n", me, h)
          fi;
          h = 0 }
     :: atomic { faults > 0 && nfull(queue) -> faults--; queue!h;
          printf("MSC: worker %d dies in its claim of handoff %d\n", me, h); h = 0 }
     fi
  :: atomic { running[me] != 0 && h_done == 0 ->        /* the handler returns */
       h_done = running[me];
       if
       :: is_success = 1
       :: is_success = 0
       fi }
     /* submit_results: compares (in_progress, handoff). It may be sent again, at any later time. */
  :: atomic { h_done != 0 ->
       if
#ifdef WITHOUT_RESULT_STATE
       :: handoffs == h_done && step != COMPLETE ->
#else
#ifdef WITHOUT_RESULT_HANDOFF
       :: step == IN_PROGRESS ->
#else
       :: step == IN_PROGRESS && handoffs == h_done ->
#endif
#endif
          if
          :: is_success == 1 ->
             printf("MSC: worker %d submits a success of handoff %d\n", me, h_done)
          :: is_success == 0 ->
             printf("MSC: worker %d submits a failure of handoff %d\n", me, h_done)
          fi;
          assert(was_claimed[h_done] && !has_ended[h_done] && h_done == handoffs);
          has_ended[h_done] = 1;
          lease = NO_LEASE; outcome = is_success;
          if
          :: outcome == 1 -> move_step(step, ENQUEUED_FOR_ORCHESTRATION, WORKER)
          :: outcome == 0 -> move_step(step, ENQUEUED_AS_ERROR_FOR_ORCHESTRATION, WORKER)
          fi;
          if
          /* a server with both roles: the same transaction */
          :: settle(); roll_up()
          :: results++                                  /* the worker's role alone: a message */
          fi
       :: else -> printf("MSC: worker %d is told that handoff %d is stale\n", me, h_done)
       fi;
       running[me] = 0;
       if
       :: h_done = 0
       :: faults > 0 -> faults--;
          printf("MSC: the reply to worker %d is lost, it sends the result again\n", me)
       fi }
  :: atomic { running[me] != 0 && faults > 0 ->
       faults--; running[me] = 0; h_done = 0; printf("MSC: worker %d dies\n", me) }
  /* release_steps: claimed, and not started */
  :: atomic { running[me] != 0 && h_done == 0 && faults > 0 ->
       faults--;
       if
       :: step == IN_PROGRESS && handoffs == running[me] ->
          printf("MSC: worker %d releases handoff %d\n", me, running[me]);
          has_ended[running[me]] = 1;
          move_step(step, PENDING, WORKER); lease = NO_LEASE; in_flight--;
#ifndef WITHOUT_REFUND
          attempts--;
#endif
          hand_off(); roll_up()
       :: else
       fi;
       running[me] = 0 }
  :: ends_or_rests && running[me] == 0 && h_done == 0 -> break
  od
}

/* renew_leases, of a server's timer. */
proctype heartbeat(byte me) {
  do
  :: atomic { running[me] != 0 && lease == OVER ->
       if
#ifdef WITHOUT_RENEW_HANDOFF
       :: step == IN_PROGRESS ->
#else
       :: step == IN_PROGRESS && handoffs == running[me] ->
#endif
          printf("MSC: worker %d renews the lease of handoff %d\n", me, running[me]);
          assert(handoffs == running[me]);              /* a stale caller changes nothing */
          lease = LIVE
       /* told that the step is lost: its result would be stale */
       :: else -> running[me] = 0
       fi }
  :: ends_or_rests -> break
  od
}

/* advance_due_tasks and process_step_results of any server. */
proctype server() {
  do
  :: atomic { step == NOTHING ->                        /* submit_tasks */
       move_task(task, PENDING, ORCHESTRATOR); move_step(step, PENDING, ORCHESTRATOR);
       hand_off(); roll_up(); printf("MSC: the task is submitted\n") }
  /* process_step_results: reads rows, whatever the message says */
  :: atomic { results > 0 ->
       results--;
       if
       :: SUBMITTED(step) -> settle(); roll_up()
       :: else
       fi }
  :: atomic { SUBMITTED(step) && results == 0 -> settle(); roll_up() }
#ifdef WITHOUT_LEASE
  :: atomic { step == IN_PROGRESS && lease != NO_LEASE ->
#else
  :: atomic { step == IN_PROGRESS && lease == OVER ->   /* recover_expired_steps */
#endif
       printf("MSC: a server recovers handoff %d\n", handoffs);
       assert(lease != LIVE);                           /* who renews in time is left alone */
       has_ended[handoffs] = 1; lease = NO_LEASE;
       if
       :: attempts < MAX_ATTEMPTS ->
          move_step(step, PENDING, RECOVERY); in_flight--; hand_off()
       :: attempts >= MAX_ATTEMPTS ->
          move_step(step, ERROR, RECOVERY); in_flight--; failed++
       fi;
       roll_up() }
  /* recover_unclaimed_offers; the message stays on its queue */
  :: atomic { step == ENQUEUED && faults > 0 ->
       faults--; has_ended[handoffs] = 1;
       printf("MSC: a server withdraws handoff %d\n", handoffs);
       if
       :: attempts < MAX_ATTEMPTS ->
          move_step(step, PENDING, RECOVERY); in_flight--; hand_off()
       :: attempts >= MAX_ATTEMPTS ->
          move_step(step, ERROR, RECOVERY); in_flight--; failed++
       fi;
       roll_up() }
  /* resend_lost_messages: same step, same handoff */
  :: atomic { step == ENQUEUED && empty(queue) ->
#ifdef WITHOUT_RESEND
       false;
#endif
       queue!handoffs; printf("MSC: a server sends the message of handoff %d again\n", handoffs) }
#ifdef WITHOUT_DUE
  :: atomic { step == WAITING_FOR_RETRY ->
#else
  :: atomic { step == WAITING_FOR_RETRY && is_due ->    /* evaluate_tasks */
#endif
       printf("MSC: a server offers the retry\n");
       assert(is_due);
       hand_off(); roll_up() }
  :: ends_or_rests && results == 0 -> break
  od
}

/* Time and the network. */
proctype world() {
  do
  :: atomic { lease == LIVE -> lease = OVER;
              printf("MSC: the lease of handoff %d ends\n", handoffs) }
  :: atomic { step == WAITING_FOR_RETRY && !is_due -> is_due = 1;
              printf("MSC: the retry is due\n") }
  :: atomic { faults > 0 && nempty(queue) -> faults--; byte h; queue?h;
              printf("MSC: the message of handoff %d is lost\n", h); h = 0 }
  :: atomic { faults > 0 && nempty(queue) && nfull(queue) -> faults--; byte d; queue?<d>; queue!d;
              printf("MSC: the message of handoff %d is doubled\n", d); d = 0 }
  :: ends_or_rests -> break
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. WORKERS - 1) { run worker(i); run heartbeat(i) }
    run server(); run world()
  }
}
