/* What all models share: the names of states and actors, and the moves.
 *
 * A transaction of the engine is an atomic block where it holds the row of its task throughout,
 * because every other transaction that changes what it reads waits for that row. Where it does not
 * (a claim, a result of a server with the worker's role alone, the snapshot of a cancel) it is cut
 * where another transaction may come between.
 *
 * A move that moves.tsv does not have is an error in every model.
 */
/* Made by check from moves.tsv: a number for each state, from PENDING on, and how many there are. */
#include "states.h"

#define NOTHING 0

#define ORCHESTRATOR 1
#define WORKER 2
#define RECOVERY 3
#define OPERATOR 4

#define IN_FLIGHT(s) (s == ENQUEUED || s == IN_PROGRESS || s == ENQUEUED_FOR_ORCHESTRATION \
  || s == ENQUEUED_AS_ERROR_FOR_ORCHESTRATION)
#define SUBMITTED(s) (s == ENQUEUED_FOR_ORCHESTRATION || s == ENQUEUED_AS_ERROR_FOR_ORCHESTRATION)
#define DONE(s) (s == COMPLETE || s == RESOLVED_MANUALLY)
#define ENDED(t) (t == COMPLETE || t == ERROR || t == CANCELLED || t == RESOLVED_MANUALLY)

/* Zero between two moves. */
byte mv_from;
byte mv_to;
byte mv_by;
bit mv_ok;

/* moves.h is made by check from moves.tsv: rule[0] are the moves of steps, rule[1] those of tasks.
 * In C, so that they are compiled once, and outside of the state. The moves that the search reaches
 * are printed at its end. */
c_decl {
  #include "moves.h"
  static unsigned char seen[2][STATES][STATES][5];
  static int is_watched = 0;
  static void print_moves(void) {
    int k, f, t, a;
    for (k = 0; k < 2; k++) for (f = 0; f < STATES; f++) for (t = 0; t < STATES; t++)
      for (a = 0; a < 5; a++)
      if (seen[k][f][t][a]) printf("MOVE %d %d %d %d\n", k, f, t, a);
  }
  static int is_rule(int k, int f, int t, int a) {
    if (!is_watched) { is_watched = 1; atexit(print_moves); }
    seen[k][f][t][a] = 1;
    return rule[k][f][t][a];
  }
  /* task_path: the moves of one roll-up. */
  static int is_path(int f, int t) {
    if (f == t) return 1;
    if (f == PENDING && t == CANCELLED) return is_rule(1, f, t, ORCHESTRATOR);
    if (f == PENDING) {
      if (!is_rule(1, f, INITIALIZING, ORCHESTRATOR)) return 0;
      if (t == STEPS_IN_PROCESS)
        return is_rule(1, INITIALIZING, ENQUEUING_STEPS, ORCHESTRATOR)
          && is_rule(1, ENQUEUING_STEPS, t, ORCHESTRATOR);
      return is_rule(1, INITIALIZING, WAITING_FOR_DEPENDENCIES, ORCHESTRATOR)
        && (t == WAITING_FOR_DEPENDENCIES || is_path(WAITING_FOR_DEPENDENCIES, t));
    }
    if (f != EVALUATING_RESULTS && !is_rule(1, f, EVALUATING_RESULTS, ORCHESTRATOR)) return 0;
    if (t == STEPS_IN_PROCESS)
      return is_rule(1, EVALUATING_RESULTS, ENQUEUING_STEPS, ORCHESTRATOR)
        && is_rule(1, ENQUEUING_STEPS, t, ORCHESTRATOR);
    return is_rule(1, EVALUATING_RESULTS, t, ORCHESTRATOR);
  }
}

/* Property: no move outside the rules. */
inline move_step(v, t, by) {
  mv_from = v; mv_to = t; mv_by = by;
  c_code { now.mv_ok = is_rule(0, now.mv_from, now.mv_to, now.mv_by); };
  assert(mv_ok);
  v = mv_to; mv_from = 0; mv_to = 0; mv_by = 0; mv_ok = 0
}

inline move_task(v, t, by) {
  mv_from = v; mv_to = t; mv_by = by;
  c_code { now.mv_ok = is_rule(1, now.mv_from, now.mv_to, now.mv_by); };
  assert(mv_ok);
  v = mv_to; mv_from = 0; mv_to = 0; mv_by = 0; mv_ok = 0
}

/* The part of roll_up_task_states that moves the task, where the model has chosen the state. */
inline roll_task(v, t) {
  mv_from = v; mv_to = t;
  c_code { now.mv_ok = is_path(now.mv_from, now.mv_to); };
  assert(mv_ok);
  v = mv_to; mv_from = 0; mv_to = 0; mv_by = 0; mv_ok = 0
}
