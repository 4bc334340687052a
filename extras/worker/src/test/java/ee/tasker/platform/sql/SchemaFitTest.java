package ee.tasker.platform.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which versions work together. */
class SchemaFitTest {
  @ParameterizedTest
  @CsvSource({
    "1.4.0, 1.4.0", "1.4.0, 1.4.9", "1.4.0, 1.3.2", "1.4.0, 1.5.0", "1.4.0-SNAPSHOT, 1.4.0",
    "0.1.0-SNAPSHOT, 0.1.0-SNAPSHOT", "1.10.0, 1.9.0"})
  void one_minor_version_apart_they_do(String library, String schema) {
    assertThat(SchemaFit.distance(library, schema)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1.4.0, 1.2.9", "1.4.0, 1.6.0", "1.4.0, 2.4.0", "2.0.0, 1.0.0", "1.4.0, unknown",
    "1.4.0, 1"})
  void further_apart_they_do_not_and_the_reason_names_both(String library, String schema) {
    assertThat(SchemaFit.distance(library, schema)).hasValueSatisfying(
        reason -> assertThat(reason).contains(library).contains("version " + schema));
  }
}
