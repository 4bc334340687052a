package ee.tasker.faults;

import ee.tasker.faults.FaultPoints.Point;
import ee.tasker.faults.Strike.Blow;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The rows of the matrix. faults.md beside it says what must follow from each. */
enum Fault {
  KILL_BEFORE_CLAIM_COMMIT("kill -9 before a claim commits",
      Strike.killBeforeCommitOf(Point.CLAIM)),
  KILL_AFTER_CLAIM_COMMIT("kill -9 after a claim committed, before its reply",
      Strike.killAfterCommitOf(Point.CLAIM)),
  KILL_BEFORE_QUEUE_CLAIM_COMMIT("kill -9 before a claim from a queue commits",
      Strike.killBeforeCommitOf(Point.CLAIM_FROM_QUEUE)),
  KILL_AFTER_QUEUE_CLAIM_COMMIT("kill -9 after a claim from a queue committed",
      Strike.killAfterCommitOf(Point.CLAIM_FROM_QUEUE)),
  KILL_IN_HANDLER("kill -9 while a handler runs, before its effect",
      Strike.killBeforeCommitOf(Point.BEFORE_EFFECT)),
  KILL_AFTER_EFFECT("kill -9 between a handler's effect and its result submission",
      Strike.killBeforeCommitOf(Point.AFTER_EFFECT)),
  KILL_BEFORE_RESULT_COMMIT("kill -9 before a result submission commits",
      Strike.killBeforeCommitOf(Point.RESULT)),
  KILL_AFTER_RESULT_COMMIT("kill -9 between a result submission and its reply",
      Strike.killAfterCommitOf(Point.RESULT)),
  KILL_BEFORE_EXPANSION_COMMIT("kill -9 before the completion of a decision commits",
      Strike.killBeforeCommitOf(Point.EXPANSION)),
  KILL_AFTER_EXPANSION_COMMIT("kill -9 between the completion of a decision and its reply",
      Strike.killAfterCommitOf(Point.EXPANSION)),
  KILL_BEFORE_CHILD_COMMIT("kill -9 before the submission of a child task commits",
      Strike.killBeforeCommitOf(Point.CHILD_SUBMISSION)),
  KILL_AFTER_CHILD_COMMIT("kill -9 after a child task was submitted",
      Strike.killAfterCommitOf(Point.CHILD_SUBMISSION)),
  KILL_BEFORE_CHILD_END_COMMIT("kill -9 before the end of a child task commits",
      Strike.killBeforeCommitOf(Point.CHILD_END)),
  KILL_AFTER_CHILD_END_COMMIT("kill -9 after the end of a child task committed",
      Strike.killAfterCommitOf(Point.CHILD_END)),
  KILL_BEFORE_WAIT_END_COMMIT("kill -9 before the end of a timer or a wait for a signal commits",
      Strike.killBeforeCommitOf(Point.WAIT_END)),
  KILL_AFTER_WAIT_END_COMMIT("kill -9 after the end of a timer or a wait for a signal committed",
      Strike.killAfterCommitOf(Point.WAIT_END)),
  KILL_BEFORE_SIGNAL_QUEUED_COMMIT("kill -9 before a transaction that queues a signal commits",
      Strike.killBeforeCommitOf(Point.SIGNAL_QUEUED)),
  KILL_BEFORE_DELIVERY_COMMIT("kill -9 before the delivery of a queued signal commits",
      Strike.killOwnerBeforeCommitOf(Point.SIGNAL_DELIVERY)),
  KILL_AFTER_DELIVERY_COMMIT("kill -9 after the delivery of a queued signal committed",
      Strike.killOwnerAfterCommitOf(Point.SIGNAL_DELIVERY)),
  KILL_BEFORE_ESCALATION_COMMIT("kill -9 before the escalation of an approval commits",
      Strike.killOwnerBeforeCommitOf(Point.ESCALATION)),
  KILL_AFTER_ESCALATION_COMMIT("kill -9 after the escalation of an approval committed",
      Strike.killOwnerAfterCommitOf(Point.ESCALATION)),
  KILL_BEFORE_APPROVAL_END_COMMIT("kill -9 before the end of an approval at its due time commits",
      Strike.killBeforeCommitOf(Point.APPROVAL_END)),
  KILL_AFTER_APPROVAL_END_COMMIT("kill -9 after the end of an approval at its due time committed",
      Strike.killAfterCommitOf(Point.APPROVAL_END)),
  KILL_BEFORE_COMPENSATION_COMMIT("kill -9 before the failure that begins a compensation commits",
      Strike.killBeforeCommitOf(Point.COMPENSATION)),
  KILL_AFTER_COMPENSATION_COMMIT("kill -9 after a compensation has begun, before the reply",
      Strike.killAfterCommitOf(Point.COMPENSATION)),
  KILL_BEFORE_COMPENSATION_END_COMMIT("kill -9 before the end of a compensation commits",
      Strike.killBeforeCommitOf(Point.COMPENSATION_END)),
  KILL_BEFORE_YIELD_COMMIT("kill -9 before a yield commits",
      Strike.killBeforeCommitOf(Point.YIELD)),
  KILL_AFTER_YIELD_COMMIT("kill -9 after a yield committed, before its reply",
      Strike.killAfterCommitOf(Point.YIELD)),
  KILL_BEFORE_FAILURE_COMMIT("kill -9 before the result submission of a failure commits",
      Strike.killBeforeCommitOf(Point.FAILURE)),
  KILL_BEFORE_RETRY_COMMIT("kill -9 before the handoff of a retry commits",
      Strike.killBeforeCommitOf(Point.RETRY)),
  KILL_BEFORE_SUBMISSION_COMMIT("kill -9 before a submission commits",
      Strike.killBeforeCommitOf(Point.SUBMISSION)),
  KILL_AFTER_SUBMISSION_COMMIT("kill -9 after a submission committed, before its reply",
      Strike.killAfterCommitOf(Point.SUBMISSION)),
  KILL_BEFORE_FINALISATION_COMMIT("kill -9 before a finalisation commits",
      Strike.killBeforeCommitOf(Point.FINALISATION)),
  KILL_AFTER_FINALISATION_COMMIT("kill -9 after a finalisation committed",
      Strike.killAfterCommitOf(Point.FINALISATION)),
  KILL_BEFORE_CANCEL_COMMIT("kill -9 before a cancel commits", Strike.killDuringCancel(false),
      true),
  KILL_AFTER_CANCEL_COMMIT("kill -9 after a cancel committed, before its reply",
      Strike.killDuringCancel(true), true),
  KILL_BEFORE_RECOVERY_COMMIT(
      "kill -9 of the second server before its recovery of the first commits",
      Strike.killDuringRecovery(false)),
  KILL_AFTER_RECOVERY_COMMIT(
      "kill -9 of the second server after its recovery of the first committed",
      Strike.killDuringRecovery(true)),
  KILL_WITH_TRANSACTION_LEFT(
      "kill -9, while the transaction of its result submission holds its locks past the lease",
      Strike.killAndLeaveTheTransactionOf(Point.RESULT)),
  KILL_DURING_DRAIN("kill -9 during a drain", Strike.killDuringDrain()),
  DRAIN("orderly stop under load", Strike.drain()),
  KILL_DURING_START("kill -9 twice during a start", Strike.killDuringStart()),
  KILL_AT_RANDOM("kill -9 at a random moment", Strike.killAtRandom()),
  KILL_ALL_SERVERS("kill -9 of all servers at a random moment", Strike.killAllServers()),
  FREEZE("SIGSTOP past the lease, then SIGCONT", Strike.freeze()),
  FREEZE_AFTER_EFFECT("SIGSTOP past the lease between effect and result submission, then SIGCONT",
      Strike.freezeAt(Point.AFTER_EFFECT)),
  FREEZE_BEFORE_RESULT_COMMIT(
      "SIGSTOP past the lease before a result submission commits, then SIGCONT",
      Strike.freezeAt(Point.RESULT)),
  LOSE_CLAIM_REPLY("connection reset after a claim committed, the server lives",
      Strike.loseTheReplyTo(Point.CLAIM)),
  LOSE_RESULT_REPLY("connection reset after a result submission committed, the server lives",
      Strike.loseTheReplyTo(Point.RESULT)),
  LOSE_SUBMISSION_REPLY("connection reset after a submission committed, the server lives",
      Strike.loseTheReplyTo(Point.SUBMISSION)),
  STALL_RESULT("a result submission that takes longer than the lease to commit",
      Strike.stall(Point.RESULT)),
  STALL_CLAIM("a claim that takes longer than the lease to commit", Strike.stall(Point.CLAIM)),
  CUT_ALL("pg_terminate_backend of all connections, twice", Strike.cutAll()),
  CUT_LISTENERS("pg_terminate_backend of the listening connections", Strike.cutListeners()),
  SILENT_LISTENER("a listening connection that is dead and does not end", Strike.silenceListener()),
  SILENT_NETWORK_RESET("network silent past the lease, then reset", Strike.silenceServer(true)),
  SILENT_NETWORK_HEALED("network silent past the lease, then everything arrives",
      Strike.silenceServer(false)),
  CRASH_DATABASE("immediate stop and restart of PostgreSQL at a random moment",
      Strike.crashDatabase()),
  CRASH_DATABASE_AT_CLAIM("the same before a claim commits", Strike.crashDatabaseAt(Point.CLAIM)),
  CRASH_DATABASE_AT_RESULT("the same before a result submission commits",
      Strike.crashDatabaseAt(Point.RESULT)),
  CRASH_DATABASE_AT_EXPANSION("the same before the completion of a decision commits",
      Strike.crashDatabaseAt(Point.EXPANSION)),
  CRASH_DATABASE_AT_CHILD("the same before the submission of a child task commits",
      Strike.crashDatabaseAt(Point.CHILD_SUBMISSION)),
  CRASH_DATABASE_AT_CHILD_END("the same before the end of a child task commits",
      Strike.crashDatabaseAt(Point.CHILD_END)),
  CRASH_DATABASE_AT_WAIT_END("the same before the end of a timer or a wait for a signal commits",
      Strike.crashDatabaseAt(Point.WAIT_END)),
  CRASH_DATABASE_AT_DELIVERY("the same before the delivery of a queued signal commits",
      Strike.crashDatabaseAt(Point.SIGNAL_DELIVERY)),
  CRASH_DATABASE_AT_APPROVAL_END("the same before the end of an approval at its due time commits",
      Strike.crashDatabaseAt(Point.APPROVAL_END)),
  CRASH_DATABASE_AT_COMPENSATION("the same before the failure that begins a compensation commits",
      Strike.crashDatabaseAt(Point.COMPENSATION)),
  CRASH_DATABASE_AT_YIELD("the same before a yield commits", Strike.crashDatabaseAt(Point.YIELD)),
  CRASH_DATABASE_DURING_RECOVERY("the same before a recovery commits",
      Strike.crashDatabaseDuringRecovery());

  private final String sentence;
  private final Blow blow;
  private final boolean cancels;

  Fault(String sentence, Blow blow) {
    this(sentence, blow, false);
  }

  Fault(String sentence, Blow blow, boolean cancels) {
    this.sentence = sentence;
    this.blow = blow;
    this.cancels = cancels;
  }

  /** A table of the matrix, from the resources. */
  static String text(String resource) {
    try (InputStream in = Fault.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String sentence() {
    return sentence;
  }

  /** Whether tasks of the round may end as cancelled. */
  boolean cancels() {
    return cancels;
  }

  void strike(Strike strike) throws Exception {
    blow.fall(strike);
  }
}
