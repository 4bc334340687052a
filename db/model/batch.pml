/* batch: workers of a batch, of which no more than its parallelism are in flight.
 *
 * Covers: the handoff of the first ones, the next one at each end, completion by two callers, a
 *   lost worker and its recovery, a release, the closing of the batch; servers that die between the
 *   statements of a transaction.
 * Leaves out: failures and how many are tolerated, cursors, cancels.
 * Searched: 6413 states, depth 227, 3.0 s
 */
#include "tasker.h"

#ifdef LARGE
#define ITEMS 5
#define PARALLELISM 3
#define FAULTS 3
#else
#define ITEMS 3
#define PARALLELISM 2
#define FAULTS 2
#endif
#define UNLOCKED 0

byte item[ITEMS];
byte handoffs[ITEMS];
byte batch = PENDING;
byte task = STEPS_IN_PROCESS;
byte row_lock = UNLOCKED;
byte in_flight = 0;                      /* batches.in_flight_workers */
byte done = 0;
byte faults = FAULTS;
byte closings = 0;

inline count_in_flight() {
  n = 0;
  for (k : 0 .. ITEMS - 1) {
    if
    :: IN_FLIGHT(item[k]) -> n++
    :: else
    fi };
  assert(n <= PARALLELISM);              /* parallelism never exceeded */
  k = 0; n = 0
}

/* advance_batches and admit_batch_workers: as many as the counter leaves. free is what the
 * transaction has read. */
inline hand_off(in_flight_as_read) {
  free = PARALLELISM - in_flight_as_read;
  for (k : 0 .. ITEMS - 1) {
    if
#ifndef WITHOUT_PARALLELISM
    :: item[k] == PENDING && free > 0 ->
#else
    :: item[k] == PENDING ->
#endif
       move_step(item[k], ENQUEUED, ORCHESTRATOR); handoffs[k]++;
       move_step(item[k], IN_PROGRESS, WORKER);
       printf("MSC: worker %d is handed off\n", k);
       in_flight++; free--
    :: else
    fi };
  k = 0; free = 0;
  count_in_flight()
}

inline close() {
  if
  :: done == ITEMS && batch == PENDING ->
     move_step(batch, COMPLETE, ORCHESTRATOR); closings++; assert(closings == 1);
       roll_task(task, COMPLETE)
  :: else
  fi
}

proctype caller(byte me) {
  byte k, n, w, before;
  short free;
  byte fence;
  do
  :: atomic {                            /* the caller runs one of those in progress */
       if
       :: item[0] == IN_PROGRESS -> w = 0
       :: item[1] == IN_PROGRESS -> w = 1
       :: item[2] == IN_PROGRESS -> w = 2
       :: item[ITEMS - 2] == IN_PROGRESS -> w = ITEMS - 2
       :: item[ITEMS - 1] == IN_PROGRESS -> w = ITEMS - 1
       fi;
       fence = handoffs[w] };
#ifndef WITHOUT_TASK_LOCK
     atomic { row_lock == UNLOCKED -> row_lock = me; before = in_flight };
#else
     before = in_flight;
#endif
     if
     :: atomic {                         /* complete_steps, count_batch_workers */
          if
          :: item[w] == IN_PROGRESS && handoffs[w] == fence ->
             printf("MSC: caller %d completes worker %d\n", me, w);
             move_step(item[w], ENQUEUED_FOR_ORCHESTRATION, WORKER);
               move_step(item[w], COMPLETE, ORCHESTRATOR);
             done++;
#ifndef WITHOUT_COUNT
             in_flight = before - 1;
             hand_off((before - 1));
#else
             hand_off(before);
#endif
             close()
          :: else
          fi;
          row_lock = UNLOCKED; w = 0; fence = 0; before = 0 }
     /* release_steps */
     :: atomic { faults > 0 && item[w] == IN_PROGRESS && handoffs[w] == fence ->
          faults--;
          printf("MSC: caller %d releases worker %d\n", me, w);
          move_step(item[w], PENDING, WORKER);
#ifndef WITHOUT_RECOUNT
          in_flight = before - 1;
#endif
          hand_off(in_flight); row_lock = UNLOCKED; w = 0; fence = 0; before = 0 }
     :: atomic { faults > 0 -> faults--; row_lock = UNLOCKED; w = 0; fence = 0; before = 0;
                 printf("MSC: caller %d dies\n", me) }
     fi
  :: batch == COMPLETE -> break
  od
}

/* recover_expired_steps and recount_batches. */
proctype server() {
  byte k, n, w;
  short free;
  do
  :: atomic { faults > 0 && row_lock == UNLOCKED && (item[0] == IN_PROGRESS || item[1] == IN_PROGRESS
              || item[2] == IN_PROGRESS) ->
       if
       :: item[0] == IN_PROGRESS -> w = 0
       :: item[1] == IN_PROGRESS -> w = 1
       :: item[2] == IN_PROGRESS -> w = 2
       :: item[ITEMS - 2] == IN_PROGRESS -> w = ITEMS - 2
       :: item[ITEMS - 1] == IN_PROGRESS -> w = ITEMS - 1
       fi;
       faults--; printf("MSC: a server recovers worker %d\n", w);
       move_step(item[w], PENDING, RECOVERY);
#ifndef WITHOUT_RECOUNT
       in_flight--;
#endif
       hand_off(in_flight); w = 0 }
  :: batch == COMPLETE -> break
  od
}

init {
  byte k, n;
  short free;
  atomic {
    for (k : 0 .. ITEMS - 1) { item[k] = PENDING };
    k = 0;
    hand_off(0); run caller(1); run caller(2); run server() };
  (_nr_pr == 1);
  assert(done == ITEMS && in_flight == 0 && task == COMPLETE)
}
