package ee.tasker.testing;

import java.util.UUID;

/**
 * Makes results that no orchestrator can process: while it is open, the database refuses the moves
 * of some steps to which their results lead.
 */
public final class Poison implements AutoCloseable {
  /** Of the refusals. */
  public static final String STATE = "22P02";
  private final Sql sql = Sql.open();

  public Poison() {
    sql.run("create table public.poisoned (step_uuid uuid primary key)");
    sql.run("create function public.refuse_poisoned() returns trigger language plpgsql as $$ begin "
        + "if new.state in ('complete', 'waiting_for_retry') and exists (select from public.poisoned p where p.step_uuid = new.workflow_step_uuid) "
        + "then raise exception 'poison' using errcode = '" + STATE
        + "'; end if; return new; end $$");
    sql.run(
        "create trigger refuse_poisoned before update on tasker.workflow_steps for each row execute function public.refuse_poisoned()");
  }

  public void into(UUID step) {
    sql.run("insert into public.poisoned values (?)", step);
  }

  @Override
  public void close() {
    sql.run("drop trigger refuse_poisoned on tasker.workflow_steps");
    sql.run("drop function public.refuse_poisoned()");
    sql.run("drop table public.poisoned");
    sql.close();
  }
}
