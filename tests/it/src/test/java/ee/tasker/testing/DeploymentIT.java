package ee.tasker.testing;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.TaskerClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Whom a deployed application answers without credentials. */
@AgainstServer
class DeploymentIT {
  private final URI base;

  DeploymentIT(TaskerClient tasker) {
    base = tasker.base();
  }

  @Test
  void landing_page_is_served() throws Exception {
    var answer = get(base.resolve("/"));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("Tasker EE");
  }

  @Test
  void server_says_it_is_ready() throws Exception {
    var answer = get(base.resolve("/health/ready"));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("\"status\":\"UP\"");
  }

  private static HttpResponse<String> get(URI address) throws Exception {
    return HttpClient.newHttpClient().send(
        HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(20)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
