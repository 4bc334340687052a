package ee.tasker.message;

import ee.tasker.platform.ActingCaller;
import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import jakarta.json.JsonObject;
import java.util.UUID;

/** Calls the functions of the database for messages that could not be processed. */
@Dependent
class DeadMessageGateway {
  @Inject
  private SqlFunctions sql;

  @Inject
  private ActingCaller caller;

  JsonObject listDeadMessages(String queue, boolean replayed, int limit, UUID before) {
    return sql
        .answer("list_dead_messages(?, ?, ?, cast(? as uuid))", queue, replayed, limit, before)
        .asJsonObject();
  }

  JsonObject replayDeadMessage(UUID deadMessageUuid, String by) {
    sql.run("begin_action(cast(? as text))", caller.name());
    return sql.object("replay_dead_message(cast(? as uuid), ?)", deadMessageUuid, by);
  }
}
