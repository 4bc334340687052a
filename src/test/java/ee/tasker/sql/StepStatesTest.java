package ee.tasker.sql;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the states of steps and tasks mean, and the outcomes of results, each said once. */
@DatabaseTest
@DatabaseTest.Covers({"weigh_step_state", "step_ended_well", "step_has_ended",
  "step_awaits_handoff",
  "step_is_handed_off", "step_awaits_settlement", "step_is_in_flight", "task_ended_well",
  "is_terminal", "outcome_ends_well"})
class StepStatesTest {
  private final Sql sql = Sql.open();

  @Test
  void these_states_of_steps_and_no_others() {
    assertThat(meant("step_ended_well", "step_state")).containsExactly("complete",
        "resolved_manually");
    assertThat(meant("step_has_ended", "step_state")).containsExactly("complete", "error",
        "cancelled", "resolved_manually");
    assertThat(meant("step_awaits_handoff", "step_state")).containsExactly("pending",
        "waiting_for_retry");
    assertThat(meant("step_is_handed_off", "step_state")).containsExactly("enqueued",
        "in_progress");
    assertThat(meant("step_awaits_settlement", "step_state")).containsExactly(
        "enqueued_for_orchestration", "enqueued_as_error_for_orchestration");
    assertThat(meant("step_is_in_flight", "step_state")).containsExactly("enqueued",
        "in_progress", "enqueued_for_orchestration", "enqueued_as_error_for_orchestration");
  }

  /** Each state counts once in each counter, and every state is known. */
  @Test
  void every_state_has_its_weights() {
    assertThat(sql.text(
        """
        select string_agg(u.state || ' ' || concat(w.in_flight, w.unfinished, w.failed, w.retrying),
                          ', ' order by u.state)
        from unnest(enum_range(null::tasker.step_state)) as u(state)
        cross join lateral tasker.weigh_step_state(u.state) w"""))
        .isEqualTo("pending 0100, enqueued 1100, in_progress 1100, "
            + "enqueued_for_orchestration 1100, enqueued_as_error_for_orchestration 1100, "
            + "waiting_for_retry 0101, complete 0000, error 0110, cancelled 0100, "
            + "resolved_manually 0000");
  }

  @Test
  void these_states_of_tasks_and_no_others() {
    assertThat(meant("task_ended_well", "task_state")).containsExactly("complete",
        "resolved_manually");
    assertThat(meant("is_terminal", "task_state")).containsExactly("complete", "error",
        "cancelled", "resolved_manually");
  }

  @Test
  void these_outcomes_and_no_others_as_the_stored_results_have_it() {
    assertThat(meant("outcome_ends_well", "step_outcome")).containsExactly("success",
        "manual_completion");
    String generated = sql.text("""
        select pg_get_expr(d.adbin, d.adrelid)
        from pg_attrdef d
        join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        where d.adrelid = 'tasker.workflow_step_result_audit'::regclass
          and a.attname = 'success'""");
    assertThat(sql.texts("select outcome from unnest(enum_range(null::tasker.step_outcome)) as "
        + "r(outcome) where " + generated + " is distinct from tasker.outcome_ends_well(outcome)"))
        .isEmpty();
  }

  @Test
  void of_no_state_nothing_is_said() {
    assertThat(sql.text("""
        select coalesce(tasker.step_ended_well(null), tasker.step_has_ended(null),
                        tasker.step_awaits_handoff(null), tasker.step_is_handed_off(null),
                        tasker.step_awaits_settlement(null), tasker.step_is_in_flight(null),
                        tasker.task_ended_well(null), tasker.is_terminal(null),
                        tasker.outcome_ends_well(null))::text""")).isNull();
  }

  /** In the order in which the type has them. */
  private List<String> meant(String function, String type) {
    return sql.texts("select s.state from unnest(enum_range(null::tasker." + type
        + ")) as s(state) where tasker." + function + "(s.state) order by s.state");
  }
}
