package ee.tasker.template;

import dev.harrel.jsonschema.JsonNode;
import ee.tasker.platform.Effort;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Counts the work of one validation and ends it when it becomes too much. The count depends on
 * schema and value only, never
 * on the clock, so that every server comes to the same verdict at any time. A step is about 25 ns
 * on the machines of 2024.
 *
 * <p>It also skips what cannot change the verdict any more: once a branch (the whole schema, or an
 * alternative in it) has
 * enough violations to show, its other keywords are not evaluated. This bounds the memory for
 * violations.
 */
final class SchemaMeter {
  /** One to three seconds. */
  static final long MOST_STEPS = 100_000_000;
  /** Keywords inside keywords, references included. */
  static final int DEEPEST = 2_000;
  static final int VIOLATIONS = 400;
  private static final int VIOLATIONS_OF_ALTERNATIVE = 8;
  private static final int NANOS_OF_STEP = 25;
  private static final int STEPS_OF_KEYWORD = 20;
  /** The annotations that the unevaluated keywords read: not more than one per keyword. */
  private static final int ANNOTATIONS_PER_STEP = 40;
  /** The validator writes the path of each keyword, and the pointer of each value. */
  private static final int CHARACTERS_PER_STEP = 4;
  private static final ThreadLocal<SchemaMeter> CURRENT = new ThreadLocal<>();

  /** Ends a validation without a verdict. */
  static final class TooMuch extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooMuch(String message) {
      super(message, null, false, false);
    }
  }

  /** The keywords of one schema, applied to one value. */
  private static final class Scope {
    private final long parent;
    private final String schema;
    private final JsonNode value;
    private final long firstStep;
    private final Scope branch;
    private final long path;
    private long keyword;
    private boolean hasAlternatives;
    private boolean isReference;
    private int violations;

    Scope(Scope outer, String schema, JsonNode value, long firstStep) {
      parent = outer == null ? 0 : outer.keyword;
      this.schema = schema;
      this.value = value;
      this.firstStep = firstStep;
      branch = outer == null || outer.hasAlternatives ? this : outer.branch;
      path = outer == null ? schema.length()
          : outer.path + schema.length()
              - (outer.isReference ? 0 : Math.min(schema.length(), outer.schema.length()));
    }

    boolean isOf(long parent, String schema, JsonNode value) {
      return this.parent == parent && this.schema.equals(schema) && this.value == value;
    }

    boolean isDecided() {
      return branch.violations >= (branch.parent == 0 ? VIOLATIONS : VIOLATIONS_OF_ALTERNATIVE);
    }
  }

  private final List<Scope> scopes = new ArrayList<>();
  private int depth;
  private long keywords;
  private long steps;

  private SchemaMeter() {}

  /** @throws TooMuch when it takes more steps, or more levels, than are allowed */
  static <T> T metered(Supplier<T> validation) {
    SchemaMeter meter = new SchemaMeter();
    CURRENT.set(meter);
    try {
      return validation.get();
    } catch (StackOverflowError tooDeep) {
      // A thread with a small stack.
      throw tooDeep();
    } finally {
      CURRENT.remove();
      Effort.add(meter.steps * NANOS_OF_STEP);
    }
  }

  static SchemaMeter current() {
    return CURRENT.get();
  }

  /**
   * Begins a keyword; {@link #leave} ends it.
   *
   * @param schema the pointer of the schema that has it
   * @param hasAlternatives whether its subschemas may fail without the keyword failing
   * @param isReference whether its subschema stands elsewhere
   * @return whether it is to be evaluated
   */
  boolean enter(String schema, JsonNode value, boolean hasAlternatives, boolean isReference) {
    var outer = depth == 0 ? null : scopes.get(depth - 1);
    long parent = outer == null ? 0 : outer.keyword;
    if (depth == scopes.size()) {
      scopes.add(null);
    }
    var scope = scopes.get(depth);
    if (scope == null || !scope.isOf(parent, schema, value)) {
      scope = new Scope(outer, schema, value, steps);
      scopes.set(depth, scope);
    }
    if (scope.isDecided()) {
      return false;
    }
    scope.keyword = ++keywords;
    scope.hasAlternatives = hasAlternatives;
    scope.isReference = isReference;
    if (++depth > DEEPEST) {
      throw tooDeep();
    }
    spend(STEPS_OF_KEYWORD + scope.path / CHARACTERS_PER_STEP);
    return true;
  }

  void leave(boolean isViolated) {
    depth--;
    if (isViolated) {
      scopes.get(depth).branch.violations++;
    }
  }

  /**
   * For the pointers of all parts of a value: a long name stands in those of all that is below it.
   */
  void spendOnPointers(JsonValue value) {
    spendOnPointers(value, 0);
  }

  private void spendOnPointers(JsonValue value, long length) {
    spend(length / CHARACTERS_PER_STEP);
    if (value instanceof JsonObject object) {
      object.forEach((name, member) -> spendOnPointers(member, length + 1 + name.length()));
    } else if (value instanceof JsonArray array) {
      array.forEach(
          element -> spendOnPointers(element, length + Integer.toString(array.size()).length()));
    }
  }

  void spend(long more) {
    steps += more;
    if (steps > MOST_STEPS || more < 0) {
      throw new TooMuch("the schema asks for too much work on a value like this one");
    }
  }

  /** For the annotations that the present schema has left on the value. */
  void spendOnAnnotations() {
    spend((steps - scopes.get(depth - 1).firstStep) / ANNOTATIONS_PER_STEP);
  }

  private static TooMuch tooDeep() {
    return new TooMuch(
        "the schema refers to itself without end, or the value is nested too deep for it");
  }
}
