package ee.tasker.request;

import ee.tasker.platform.sql.SqlFunctions;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;

/** Calls the SQL functions for requests with an idempotency key. */
@Dependent
class RequestGateway {
  @Inject
  private SqlFunctions sql;

  KeyClaim claimIdempotencyKey(KeyedRequest request, long retentionSeconds, int waitMs) {
    return KeyClaim.of(sql.object("claim_idempotency_key(?, ?, ?, cast(? as int), ?)",
        request.principal(), request.key(), request.hash(), retentionSeconds, waitMs));
  }

  void saveIdempotentResponse(KeyedRequest request, IdempotentResponse answer) {
    sql.run("save_idempotent_response(?, ?, ?, ?, ?, ?)",
        request.principal(), request.key(), request.hash(), answer.status(),
        answer.location().orElse(null), answer.body());
  }

  int purgeIdempotencyKeys(long retentionSeconds, int limit) {
    return Integer
        .parseInt(sql.text("purge_idempotency_keys(cast(? as int), ?)", retentionSeconds, limit));
  }
}
