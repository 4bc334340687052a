package ee.tasker.template.model;

import java.time.Duration;
import java.time.Period;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * What a step waits for after its parents. Durations are those of ISO 8601, months and days in UTC.
 */
public sealed interface StepWait {

  /** Ten years. */
  int MAX_DAYS = 3_660;

  /** Microseconds are the finest that the database keeps. */
  Pattern DURATION = Pattern
      .compile(
          "P(?=[0-9T])([0-9]{1,9}Y)?([0-9]{1,9}M)?([0-9]{1,9}W)?([0-9]{1,9}D)?(T(?=[0-9])([0-9]{1,9}H)?([0-9]{1,9}M)?([0-9]{1,9}([.][0-9]{1,6})?S)?)?");

  /**
   * A time. One of the two is present.
   *
   * @param duration since the parents were done
   * @param until    a SQL/JSON path to a text that is an instant with an offset
   */
  record Timer(Optional<String> duration, Optional<String> until) implements StepWait {
    public Timer {
      Checks.present(duration, "step.wait.for");
      Checks.present(until, "step.wait.until");
      Checks.require(duration.isPresent() != until.isPresent(), "step.wait must have for or until");
      duration.ifPresent(text -> Checks.require(isDuration(text),
          "step.wait.for must be a duration, but is " + text));
      until.ifPresent(path -> Checks.text(path, "step.wait.until", Limits.EXPRESSION));
    }
  }

  /**
   * A signal.
   *
   * @param schema       JSON Schema of the payload, as JSON text
   * @param timeout      since the parents were done; empty: it waits without a limit
   * @param defaultValue JSON text, the payload when no signal comes in time; empty: that is an
   *   error
   */
  record Signal(String name, Optional<String> schema, Optional<String> timeout,
      Optional<String> defaultValue) implements StepWait {
    public Signal {
      Checks.text(name, "step.signal.name", Limits.SIGNAL_NAME);
      Checks.present(schema, "step.signal.schema");
      Checks.present(timeout, "step.signal.timeout");
      Checks.present(defaultValue, "step.signal.on_timeout");
      timeout.ifPresent(text -> Checks.require(isDuration(text),
          "step.signal.timeout must be a duration, but is " + text));
      Checks.require(defaultValue.isEmpty() || timeout.isPresent(),
          "step.signal.on_timeout must be absent without a timeout");
    }
  }

  /** Who may decide: names, or paths to names. */
  record Candidates(List<String> roles, List<String> users) {
    public Candidates {
      roles = List.copyOf(roles);
      users = List.copyOf(users);
    }

    public boolean isEmpty() {
      return roles.isEmpty() && users.isEmpty();
    }
  }

  /**
   * Who may decide when no decision was made by the due time.
   *
   * @param replaces whether they replace the candidates or are added to them
   * @param due      since the escalation; empty: without a limit
   */
  record Escalation(Candidates candidates, boolean replaces, Optional<String> due) {
    public Escalation {
      Checks.require(!candidates.isEmpty(), "step.approval.escalate_to must have roles or users");
      Checks.present(due, "step.approval.escalate_to.due");
      due.ifPresent(text -> Checks.require(isDuration(text),
          "step.approval.escalate_to.due must be a duration, but is " + text));
    }
  }

  /** What a rejection is to the step. */
  enum OnReject {
    RESULT, ERROR
  }

  /**
   * The decision of a user.
   *
   * @param title      JSON text of a string, or of an array of strings that are joined; those that
   *   begin with $ are paths
   * @param show       JSON text of a mapping: what those who decide see of the task
   * @param form       JSON Schema of the values that come with a decision, as JSON text
   * @param due        a duration since the parents were done, or a path to an instant
   * @param onDue      JSON text of the decision that counts when no decision was made; empty: that
   *   is an error
   * @param fourEyes   whether those for whom the task was submitted may not decide
   * @param claimFor   how long a claim holds; empty for a day
   */
  record Approval(String title, Optional<String> description, Optional<String> show,
      Optional<String> form, Candidates candidates, String due, Optional<Escalation> escalateTo,
      Optional<String> onDue, OnReject onReject, boolean fourEyes,
      Optional<String> claimFor) implements StepWait {
    public Approval {
      Checks.text(title, "step.approval.title", Limits.APPROVAL_TITLE_PARTS * Limits.EXPRESSION);
      Checks.present(description, "step.approval.description");
      Checks.present(show, "step.approval.show");
      Checks.present(form, "step.approval.form");
      Checks.require(!candidates.isEmpty(), "step.approval.candidates must have roles or users");
      Checks.text(due, "step.approval.due", Limits.EXPRESSION);
      Checks.require(due.startsWith("$") || isDuration(due),
          "step.approval.due must be a duration or a path, but is " + due);
      Checks.present(escalateTo, "step.approval.escalate_to");
      Checks.present(onDue, "step.approval.on_due");
      Checks.present(onReject, "step.approval.on_reject");
      Checks.present(claimFor, "step.approval.claim_for");
      claimFor.ifPresent(text -> Checks.require(isDuration(text),
          "step.approval.claim_for must be a duration, but is " + text));
    }
  }

  /**
   * The end of a child task, which the engine submits.
   *
   * @param namespace empty: that of the template
   * @param version   empty: the latest when the child is submitted
   * @param context   a mapping, as canonical JSON text
   * @param priority  empty: that of the parent
   */
  record Child(Optional<String> namespace, String name, Optional<String> version, String context,
      OptionalInt priority) implements StepWait {
    public Child {
      Checks.present(namespace, "step.task.namespace");
      namespace.ifPresent(text -> Checks.require(TemplateKey.isNamespace(text),
          "step.task.namespace must be a namespace, but is " + text));
      Checks.text(name, "step.task.name", Limits.TEMPLATE_NAME);
      Checks.present(version, "step.task.version");
      version
          .ifPresent(text -> Checks.require(TemplateKey.isVersion(text),
              "step.task.version must be a semantic version, but is " + text));
      Checks.present(context, "step.task.context");
      Checks.range(priority, "step.task.priority", -100, 100);
    }
  }

  /** A duration of ISO 8601 of up to ten years: {@code PT3H}, {@code P1M}, {@code P1DT12H}. */
  static boolean isDuration(String text) {
    if (!DURATION.matcher(text).matches()) {
      return false;
    }
    int time = text.indexOf('T');
    try {
      var date = time < 0 ? Period.parse(text)
          : time == 1 ? Period.ZERO : Period.parse(text.substring(0, time));
      var clock = time < 0 ? Duration.ZERO : Duration.parse("P" + text.substring(time));
      return date.getYears() * 366L + date.getMonths() * 31L + date.getDays()
          + clock.toDays() <= MAX_DAYS;
    } catch (DateTimeParseException | ArithmeticException tooLong) {
      return false;
    }
  }
}
