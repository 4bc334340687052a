package ee.tasker.protection;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The allowed moves and their actors, repeated in Java: what the tests hold history against, and
 * what O9 holds the
 * rules tables against. A rule that is added on one side only is noticed.
 */
final class Moves {
  /** From, to, actor. */
  static final Set<String> OF_STEPS = lines("""
      nothing pending orchestrator
      pending enqueued orchestrator
      pending error orchestrator
      pending complete orchestrator
      pending cancelled orchestrator
      enqueued cancelled orchestrator
      enqueued_for_orchestration complete orchestrator
      enqueued_for_orchestration error orchestrator
      enqueued_as_error_for_orchestration waiting_for_retry orchestrator
      enqueued_as_error_for_orchestration error orchestrator
      enqueued_as_error_for_orchestration cancelled orchestrator
      waiting_for_retry enqueued orchestrator
      waiting_for_retry cancelled orchestrator
      enqueued in_progress worker
      in_progress pending worker
      in_progress waiting_for_retry worker
      in_progress enqueued_for_orchestration worker
      in_progress enqueued_as_error_for_orchestration worker
      in_progress cancelled worker
      enqueued pending recovery
      enqueued error recovery
      in_progress pending recovery
      in_progress error recovery
      in_progress cancelled recovery
      pending complete operator
      pending resolved_manually operator
      waiting_for_retry pending operator
      waiting_for_retry complete operator
      waiting_for_retry resolved_manually operator
      complete pending operator
      error pending operator
      error complete operator
      error resolved_manually operator
      resolved_manually pending operator
      """);

  static final Set<String> OF_TASKS = lines("""
      nothing pending orchestrator
      pending initializing orchestrator
      pending error orchestrator
      pending cancelled orchestrator
      initializing enqueuing_steps orchestrator
      initializing waiting_for_dependencies orchestrator
      enqueuing_steps steps_in_process orchestrator
      steps_in_process evaluating_results orchestrator
      evaluating_results enqueuing_steps orchestrator
      evaluating_results waiting_for_dependencies orchestrator
      evaluating_results waiting_for_retry orchestrator
      evaluating_results blocked_by_failures orchestrator
      evaluating_results complete orchestrator
      evaluating_results cancelled orchestrator
      waiting_for_dependencies evaluating_results orchestrator
      waiting_for_retry evaluating_results orchestrator
      blocked_by_failures evaluating_results orchestrator
      pending error recovery
      evaluating_results error recovery
      evaluating_results error orchestrator
      blocked_by_failures error operator
      blocked_by_failures resolved_manually operator
      error evaluating_results operator
      error resolved_manually operator
      """);

  private Moves() {}

  private static Set<String> lines(String text) {
    return new TreeSet<>(List.of(text.strip().split("\\s*\n\\s*")));
  }
}
