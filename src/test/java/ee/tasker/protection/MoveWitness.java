package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.Sql;
import ee.tasker.testing.TestDatabase;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Sees every change of a step's row with a trigger of its own, and compares with the history after
 * each test: as many
 * rows of history as there were real moves, none from a state to itself, and none written by a role
 * outside its half as
 * {@link Moves} has it, so that a wrong rule in the rules table shows.
 */
final class MoveWitness implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {
  /**
   * An update may do two moves at once where both are recorded: handoff and claim, result
   * submission and acceptance.
   */
  private static final String MOVES_OF_A_CHANGE = """
      case when from_state is null then case to_state when 'pending' then 1 when 'enqueued' then 2 when 'in_progress' then 3 end
           when to_state = 'in_progress' and from_state in ('pending', 'waiting_for_retry') then 2
           when to_state = 'complete' and from_state = 'in_progress' then 2
           else 1 end""";

  private static final String MOVE = "concat_ws(' ', coalesce(from_state::text, 'nothing'), to_state, actor)";

  @Override
  public void beforeAll(ExtensionContext context) {
    TestDatabase.get();
    try (Sql sql = Sql.open()) {
      sql.run("create schema if not exists witness");
      sql.run(
          """
          create table if not exists witness.changes (
            step_uuid uuid, from_state tasker.step_state, to_state tasker.step_state, counted int)""");
      sql.run("""
          create or replace function witness.note() returns trigger language plpgsql as $$
          begin
            insert into witness.changes values (new.workflow_step_uuid, case tg_op when 'UPDATE' then old.state end, new.state,
              new.transition_count - case tg_op when 'UPDATE' then old.transition_count else 0 end);
            return null;
          end $$""");
      sql.run(
          "create or replace trigger witness_of_births after insert on tasker.workflow_steps for each row execute function witness.note()");
      sql.run(
          """
          create or replace trigger witness_of_moves after update on tasker.workflow_steps for each row
          when (old.state is distinct from new.state or old.transition_count <> new.transition_count) execute function witness.note()""");
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      return;
    }
    try (Sql sql = Sql.open()) {
      assertThat(sql.texts(
          "select c::text from witness.changes c join tasker.workflow_steps s on s.workflow_step_uuid = c.step_uuid "
              + "where from_state is not distinct from to_state or counted is distinct from "
              + MOVES_OF_A_CHANGE.replace("to_state", "c.to_state")))
          .as("changes of a step's row that are no moves, or that were counted wrongly").isEmpty();
      assertThat(sql.texts("""
          select concat_ws(' ', s.workflow_step_uuid, 'moves', c.moves, 'recorded', h.recorded) from tasker.workflow_steps s
          left join (select step_uuid, sum(counted) as moves from witness.changes group by step_uuid) c on c.step_uuid = s.workflow_step_uuid
          left join (select workflow_step_uuid, count(*) as recorded from tasker.workflow_step_transitions group by 1) h using (workflow_step_uuid)
          where c.moves is distinct from h.recorded"""))
          .as("steps with more or fewer rows of history than moves").isEmpty();
      assertThat(sql.texts("select distinct " + MOVE
          + " from tasker.workflow_step_transitions where from_state is distinct from to_state"))
          .as("moves of steps in their actor's half").isSubsetOf(Moves.OF_STEPS);
      assertThat(sql.texts("select distinct " + MOVE + " from tasker.task_transitions"))
          .as("moves of tasks in their actor's half")
          .isSubsetOf(Moves.OF_TASKS);
      assertThat(sql.number(
          "select (select count(*) from tasker.workflow_step_transitions where from_state = to_state) + "
              + "(select count(*) from tasker.task_transitions where from_state = to_state)"))
          .as("moves to where it was").isZero();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    try (Sql sql = Sql.open()) {
      sql.run("drop schema witness cascade");
    }
  }
}
