package ee.tasker.platform.sql;

import ee.tasker.platform.DatabaseFaults;
import ee.tasker.platform.Json;
import ee.tasker.platform.Problem;
import ee.tasker.platform.SqlState;
import ee.tasker.platform.config.Settings;
import ee.tasker.platform.thread.StartSequence;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonArray;
import jakarta.json.JsonObject;
import jakarta.json.JsonValue;
import jakarta.persistence.PersistenceException;
import java.util.Collection;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The only access to the database: calls a function of schema {@code tasker} in the current JTA
 * transaction. Gateways name
 * the function with its casts, for instance {@code "heartbeat(cast(? as uuid), ?)"}; documents are
 * passed as text, so that
 * the code does not depend on driver types.
 */
@Dependent
public class SqlFunctions {
  private static final String ANSWER_TOO_LARGE = "TK012";
  private static final Pattern CALL = Pattern.compile(
      "(?:tasker\\.(?!limit_answer\\b)|limit_answer\\(cast\\(tasker\\.)(\\w+)\\(");

  @Inject
  private StatementCalls statements;

  @Inject
  private Meters meters;

  @Inject
  private StartSequence start;

  @Inject
  private DatabaseUsability usability;

  @Inject
  private Settings settings;

  /** @return the function's JSON result, or JSON null for SQL null */
  public JsonValue json(String call, Object... arguments) {
    Object text = result("select cast(tasker." + call + " as text)", arguments);
    return text == null ? JsonValue.NULL : Json.parse((String) text);
  }

  /**
   * The same for what a caller asked for and can ask for in smaller parts.
   *
   * @throws Problem 400 answer-too-large
   */
  public JsonValue answer(String call, Object... arguments) {
    try {
      return json(limited(call), arguments);
    } catch (PersistenceException fault) {
      if (ANSWER_TOO_LARGE.equals(SqlState.of(fault))) {
        throw Problem.of(400, "answer-too-large",
            "the answer would have more than 16 MiB: ask for fewer objects (limit), or leave out long documents "
                + "(max_document_bytes) and read them in parts");
      }
      throw fault;
    }
  }

  static String limited(String call) {
    return "limit_answer(cast(tasker." + call + " as text))";
  }

  public JsonObject object(String call, Object... arguments) {
    return json(call, arguments).asJsonObject();
  }

  public JsonArray array(String call, Object... arguments) {
    return json(call, arguments).asJsonArray();
  }

  public boolean flag(String call, Object... arguments) {
    return (Boolean) result("select tasker." + call, arguments);
  }

  /** @return null for SQL null */
  public String text(String call, Object... arguments) {
    return (String) result("select cast(tasker." + call + " as text)", arguments);
  }

  /** For functions that return nothing. */
  public void run(String call, Object... arguments) {
    result("select cast(tasker." + call + " as text)", arguments);
  }

  /** PostgreSQL's text form of an array, to be cast; null stays null. */
  public static String arrayText(Collection<?> values) {
    if (values == null) {
      return null;
    }
    StringBuilder text = new StringBuilder("{");
    for (Object value : values) {
      if (text.length() > 1) {
        text.append(',');
      }
      text.append('"').append(value.toString().replace("\\", "\\\\").replace("\"", "\\\""))
          .append('"');
    }
    return text.append('}').toString();
  }

  Object result(String sql, Object... arguments) {
    if (!start.isSchemaReady()) {
      throw StartSequence.waitingProblem();
    }
    meters.databaseCalled();
    Object[] storable = new Object[arguments.length];
    for (int i = 0; i < arguments.length; i++) {
      Object argument = arguments[i];
      storable[i] = argument instanceof UUID || argument instanceof JsonValue
          ? argument.toString() : argument;
    }
    long began = System.nanoTime();
    try {
      return statements.value(sql, settings.statementTimeout(), storable);
    } catch (PersistenceException fault) {
      usability.failed(fault);
      if (DatabaseFaults.isAboutTheVersion(fault)) {
        start.lookAgain();
      }
      throw fault;
    } finally {
      meters.databaseAnswered(function(sql), began);
    }
  }

  /** The function that a statement calls, without what bounds its answer; "none" without one. */
  static String function(String sql) {
    Matcher call = CALL.matcher(sql);
    return call.find() ? call.group(1) : "none";
  }
}
