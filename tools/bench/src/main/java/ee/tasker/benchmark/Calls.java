package ee.tasker.benchmark;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What calls of the engine cost the database by the guards of its tables, and against the functions
 * of another checkout, all in turns: see {@link CallsInTurns}. Without a server.
 */
final class Calls implements Phase {
  private static final String GUARDED = "select tasker.guard_tables(true)";

  /** How each database is prepared, after it has been migrated. */
  private static final Map<String, String> VARIANTS = new LinkedHashMap<>();

  static {
    VARIANTS.put("with guards", GUARDED);
    VARIANTS.put("with guards, again", GUARDED);
    VARIANTS.put("the CHECKs alone",
        GUARDED + "; drop trigger moves_follow_the_rules on tasker.task_moves; "
            + "drop trigger moves_follow_the_rules on tasker.step_moves");
    VARIANTS.put("the triggers alone",
        """
        select tasker.guard_tables(true);
        do $$ begin
          execute (select string_agg(format('alter table tasker.%I drop constraint %I', g.table_name, g.guard), ';')
                   from tasker.list_guards() g where g.fact is not null);
        end $$""");
    VARIANTS.put("without guards", "select tasker.guard_tables(false)");
  }

  @Override
  public String name() {
    return "calls";
  }

  @Override
  public boolean needsServer() {
    return false;
  }

  @Override
  public void run(Bench bench) throws SQLException {
    bench.servers().close();
    Map<String, Scratch> databases = new LinkedHashMap<>();
    try {
      CallsInTurns turns = new CallsInTurns();
      Optional<Path> before = bench.options().callsBefore();
      if (before.isPresent()) {
        add(turns, databases, "before", Scratch.of(bench.database().url(), "calls_before",
            before.get()));
      }
      for (Map.Entry<String, String> variant : VARIANTS.entrySet()) {
        Scratch scratch = new Scratch(bench.database().url(), "calls_" + databases.size());
        try (var connection = scratch.connect(); var statement = connection.createStatement()) {
          statement.execute(variant.getValue());
        }
        add(turns, databases, variant.getKey(), scratch);
      }
      report(bench.report(), turns.measure(bench.options().callsRounds()));
    } finally {
      for (Scratch scratch : databases.values()) {
        scratch.close();
      }
    }
  }

  private static void add(CallsInTurns turns, Map<String, Scratch> databases, String name,
      Scratch scratch) throws SQLException {
    databases.put(name, scratch);
    turns.add(name, new SqlEngine(scratch.connection()));
  }

  private static void report(Report report, Map<String, CallsInTurns.Costs> costs) {
    CallsInTurns.Costs first = costs.values().iterator().next();
    Report.Table table = report.table("Calls in turns: processor µs of the database, and log bytes",
        "call", "database", "µs", "to the first", "log bytes");
    for (CallsInTurns.Call call : CallsInTurns.Call.values()) {
      costs.forEach((name, cost) -> table.row(call.title(), name, cost.micros(call),
          cost.micros(call) / first.micros(call), cost.walBytes(call)));
    }
    costs.forEach((name, cost) -> table.row("a step with its share of the task, in hundreds", name,
        cost.batchedStep(), cost.batchedStep() / first.batchedStep(),
        cost.batchedStepWalBytes()));
    CallsInTurns.Costs guarded = costs.get("with guards");
    CallsInTurns.Costs unguarded = costs.get("without guards");
    report.figure("guards_result_alone",
        guarded.micros(CallsInTurns.Call.RESULT_ALONE)
            / unguarded.micros(CallsInTurns.Call.RESULT_ALONE));
    report.figure("guards_batched_step", guarded.batchedStep() / unguarded.batchedStep());
  }
}
