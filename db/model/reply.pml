/* reply: a claim whose reply is lost, and the check for orphaned claims of its server.
 *
 * Covers: a claim that is committed while its reply is on its way, lost or being handled (the
 *   definitions of the steps are looked up in the database); the check after a failed call, which
 *   releases what the database counts as claimed by this server and this server does not know; the
 *   same step claimed again; a result of the first run.
 * Leaves out: leases (handoff), the time after which the check runs: it may run at any time after a
 *   call has failed, while the reply of a call that has not failed is handled for as long as it
 *   takes. A reply on its way is younger than the check.
 * Searched: 1570 states, depth 115, 2.0 s
 */
#include "tasker.h"

#ifdef LARGE
#define STEPS 3
#define FAULTS 4
#else
#define STEPS 2
#define FAULTS 3
#endif
#define NO_CALL 0
#define ON_ITS_WAY 1
#define HANDLED 2

byte step[STEPS];
byte handoffs[STEPS];
byte attempts[STEPS];
byte call[STEPS];                        /* the reply of the claim of a step */
bit is_known[STEPS];                     /* RunningSteps.keys() */
bit is_running[STEPS];                   /* the handler runs */
bit is_check_planned = 0;
byte faults = FAULTS;
byte runs[STEPS];                        /* of the present attempt; for the properties only */

inline offer(s) { move_step(step[s], ENQUEUED, ORCHESTRATOR); handoffs[s]++; attempts[s]++ }

/* One of the server's claim loops. */
proctype claimer(byte s) {
  byte fence;
  do
  :: atomic { step[s] == ENQUEUED && call[s] == NO_CALL ->
       move_step(step[s], IN_PROGRESS, WORKER); call[s] = ON_ITS_WAY; fence = handoffs[s];
       printf("MSC: step %d is claimed\n", s) };
     if
     :: atomic { faults > 0 -> faults--; call[s] = NO_CALL; is_check_planned = 1;
                 printf("MSC: the reply for step %d is lost\n", s) }
     :: atomic { call[s] = HANDLED;
#ifndef WITHOUT_KNOWN_WHILE_HANDLED
          is_known[s] = 1
#endif
        };
        /* Handling it needs the database, which may be away: then the call fails, but nothing is
         * lost. */

        if
        :: atomic { faults > 0 -> faults--; is_check_planned = 1;
                    printf("MSC: the database is away while the reply for step %d is handled\n", s) }
        :: skip
        fi;
        atomic { call[s] = NO_CALL; is_known[s] = 1; is_running[s] = 1; runs[s]++;
          printf("MSC: step %d runs as handoff %d\n", s, fence);
          assert(runs[s] == 1) };        /* no attempt runs twice */
        atomic { is_running[s] = 0; is_known[s] = 0;
          if
          :: step[s] == IN_PROGRESS && handoffs[s] == fence ->
             move_step(step[s], ENQUEUED_FOR_ORCHESTRATION, WORKER);
               move_step(step[s], COMPLETE, ORCHESTRATOR)
          :: else
          fi }
     fi
  :: step[s] == COMPLETE -> break
  od
}

#define all_done (step[0] == COMPLETE && step[1] == COMPLETE && step[STEPS - 1] == COMPLETE)

/* OrphanedClaims and release_unknown_steps. */
proctype check() {
  byte s;
  do
  :: atomic { is_check_planned ->
       is_check_planned = 0;
       for (s : 0 .. STEPS - 1) {
         if
#ifndef WITHOUT_AGE
         :: step[s] == IN_PROGRESS && !is_known[s] && call[s] != ON_ITS_WAY ->
#else
         :: step[s] == IN_PROGRESS && !is_known[s] ->
#endif
            printf("MSC: step %d is released\n", s);
            move_step(step[s], PENDING, WORKER); attempts[s]--; offer(s)
         :: else
         fi };
       s = 0 }
  :: all_done -> break
  od
}

init {
  byte s;
  atomic {
    for (s : 0 .. STEPS - 1) { step[s] = PENDING; offer(s); run claimer(s) };
    s = 0; run check() };
  (_nr_pr == 1);
  assert(all_done)
}
