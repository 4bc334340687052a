package ee.tasker.template.model;

/**
 * The limits of the template format, in one place for the records, the reader and the
 * documentation.
 */
public final class Limits {
  private Limits() {}

  public static final int TEMPLATE_NAME = 64;
  public static final int NAMESPACE = 29;
  public static final int VERSION = 16;
  public static final int STEP_NAME = 128;
  public static final int DESCRIPTION = 255;
  public static final int CALLABLE = 500;
  public static final int METHOD = 128;
  public static final int RESOLVER = 128;
  /** Event names, cursor fields, system names, authors. */
  public static final int WORD = 255;
  public static final int ENVIRONMENT_NAME = 64;
  public static final int ENVIRONMENTS = 100;

  public static final int MAX_ATTEMPTS = 100;
  public static final int BACKOFF_BASE_MS = 3_600_000;
  public static final int MAX_BACKOFF_MS = 86_400_000;
  public static final int TIMEOUT_SECONDS = 86_400;
  /** A year. */
  public static final int QUEUE_TIMEOUT_SECONDS = 31_536_000;
  /** 30 days: {@code max_duration_minutes} and {@code sla_minutes}. */
  public static final int DURATION_MINUTES = 43_200;
  /** 7 days: the three limits on waiting. */
  public static final int WAITING_MINUTES = 10_080;
  /** A year: {@code unserved_seconds}. */
  public static final int UNSERVED_SECONDS = 31_536_000;
  /** A hundred years: {@code retention_days}. */
  public static final int RETENTION_DAYS = 36_500;
  public static final int BATCH_SIZE = 100_000;
  public static final int PARALLELISM = 1_000;
  /** {@code max_batches_per_step}, and {@code tolerate}. */
  public static final int BATCHES_PER_STEP = 1_000_000;
  public static final int DEFAULT_BATCHES_PER_STEP = 10_000;
  /** Elements of {@code publishes_events} of a step. */
  public static final int EVENTS = 20;
  /** Characters of the name of a batch_worker, which the names of its workers continue. */
  public static final int BATCH_WORKER_NAME = 120;
  /**
   * So that the name of its compensation, which continues it, has at most {@value #STEP_NAME}
   * characters.
   */
  public static final int COMPENSATED_STEP_NAME = 115;
  public static final int CONCURRENCY = 1_000_000;
  /** Policies of one template, and of one step. */
  public static final int CONCURRENCY_POLICIES = 4;
  /** Characters of a path. */
  public static final int EXPRESSION = 4_000;
  /** Rules of one decision. */
  public static final int RULES = 100;
  public static final int SIGNAL_NAME = 64;
  public static final int APPROVAL_TITLE = 300;
  public static final int APPROVAL_TITLE_PARTS = 20;
  public static final int APPROVAL_DESCRIPTION = 2_000;
  /** Roles, and users, of one approval. */
  public static final int APPROVAL_CANDIDATES = 50;
  /** Characters of a role, a user, or a path to them. */
  public static final int APPROVAL_NAME = 160;
  /** Characters of a duration. */
  public static final int DURATION = 64;
  /**
   * Of the automata of all patterns in the schemas of a template: about one per character,
   * repetitions written out.
   */
  public static final int PATTERN_STATES = 100_000;
  public static final int STEPS_PER_DECISION = 1_000;
  public static final int DEFAULT_STEPS_PER_DECISION = 100;
  public static final int DECISION_DEPTH = 16;
  public static final int CHILD_DEPTH = 64;
  public static final int DEFAULT_CHILD_DEPTH = 8;
  public static final int DEFAULT_DECISION_DEPTH = 3;
  public static final int SEARCH_ATTRIBUTES = 8;
  /** Characters of one value. */
  public static final int SEARCH_ATTRIBUTE_VALUE = 256;
}
