package ee.tasker.rest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ee.tasker.platform.Problem;
import jakarta.json.Json;
import org.junit.jupiter.api.Test;

class FiltersTest {

  @Test
  void a_filter_that_is_longer_than_what_it_could_find_is_refused_by_its_name() {
    var filter = Json.createObjectBuilder();
    Filters.add(filter, "object", "x".repeat(Filters.LONGEST));
    Filters.add(filter, "caller", null);
    assertThat(filter.build()).containsOnlyKeys("object");

    Problem refused = catchThrowableOfType(Problem.class,
        () -> Filters.add(Json.createObjectBuilder(), "object", "x".repeat(Filters.LONGEST + 1)));

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.violations()).singleElement()
        .satisfies(violation -> assertThat(violation.field()).isEqualTo("object"));
  }
}
