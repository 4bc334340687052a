package ee.tasker.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.container.test.api.RunAsClient;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.arquillian.test.api.ArquillianResource;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ArquillianExtension.class)
@RunAsClient
class DeploymentIT {

  @ArquillianResource
  URL base;

  @Deployment
  static WebArchive war() {
    return Deployments.war();
  }

  @Test
  void landing_page_is_served() throws Exception {
    var answer = get(base.toURI());

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("Tasker EE");
  }

  @Test
  void server_says_it_is_ready() throws Exception {
    var answer = get(base.toURI().resolve("/health/ready"));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("\"status\":\"UP\"");
  }

  private static HttpResponse<String> get(URI address) throws Exception {
    return HttpClient.newHttpClient().send(
        HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(20)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
