package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.DatabaseTest;
import ee.tasker.testing.Sql;
import jakarta.json.Json;
import jakarta.json.JsonObject;
import java.io.StringReader;
import org.junit.jupiter.api.Test;

/** What the database tells of retention is what the interface says of it. */
@DatabaseTest
class RetentionDocumentContractTest {
  private final Sql sql = Sql.open();

  @Test
  void the_document_of_retention_fits_its_schema_and_has_the_log_of_write_requests() {
    JsonObject document = Json.createReader(new StringReader(new OpenApiDocument().json()))
        .readObject();
    JsonObject retention = sql.object("select tasker.get_retention_document()");

    assertThat(OpenApiSchemas.of(document, "Retention").validate(retention).complaints())
        .as("%s", retention).isEmpty();
    assertThat(retention.getJsonArray("tables").getValuesAs(JsonObject.class)).anySatisfy(table -> {
      assertThat(table.getString("table")).isEqualTo("write_requests");
      assertThat(table.getInt("keep_days")).isEqualTo(400);
    });
  }
}
