package ee.tasker.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import jakarta.json.JsonObject;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * deploy/kubernetes, read as strictly as an API server would with {@code --validate=strict}, and
 * held against what the product really has.
 */
class KubernetesExampleTest {
  private static final Path EXAMPLE = Path.of("deploy", "kubernetes", "tasker-ee.yaml");
  private static final Map<String, Class<? extends HasMetadata>> KINDS = Map.of(
      "v1 Secret", Secret.class, "v1 Service", Service.class, "apps/v1 Deployment",
      Deployment.class,
      "policy/v1 PodDisruptionBudget", PodDisruptionBudget.class,
      "autoscaling/v2 HorizontalPodAutoscaler", HorizontalPodAutoscaler.class);

  /** The models put keys they do not know aside; this one refuses them. */
  private static final ObjectMapper STRICT = new ObjectMapper()
      .configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, true)
      .setAnnotationIntrospector(new JacksonAnnotationIntrospector() {
        private static final long serialVersionUID = 1L;

        @Override
        public Boolean hasAnySetter(Annotated annotated) {
          return false;
        }
      });

  private static List<HasMetadata> read(String yaml) {
    List<HasMetadata> objects = new ArrayList<>();
    for (Object document : new Load(LoadSettings.builder().setAllowDuplicateKeys(false).build())
        .loadAllFromString(yaml)) {
      Map<?, ?> map = (Map<?, ?>) document;
      Class<? extends HasMetadata> kind = KINDS.get(map.get("apiVersion") + " " + map.get("kind"));
      if (kind == null) {
        throw new IllegalArgumentException(
            "there is no " + map.get("apiVersion") + " " + map.get("kind"));
      }
      objects.add(STRICT.convertValue(map, kind));
    }
    return objects;
  }

  private static <T> T only(Class<T> kind) throws IOException {
    return read(Files.readString(EXAMPLE)).stream().filter(kind::isInstance).map(kind::cast)
        .findFirst().orElseThrow();
  }

  private static Container container() throws IOException {
    return only(Deployment.class).getSpec().getTemplate().getSpec().getContainers().get(0);
  }

  @Test
  void every_document_is_an_object_of_kubernetes() throws IOException {
    assertThat(read(Files.readString(EXAMPLE))).hasSize(KINDS.size()).extracting(Object::getClass)
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      terminationGracePeriodSeconds: 90 | terminationGracePeriodSecond: 90
      readinessProbe:                   | readynessProbe:
      failureThreshold: 60              | failureThreshold: sixty
      minAvailable: 1                   | minAvailible: 1
      kind: Deployment                  | kind: Deploiment
      apiVersion: policy/v1             | apiVersion: policy/v2
      secretRef: {name                  | secretRef: {nam
      averageUtilization: 70            | averageUtilisation: 70
      replicas: 2                       | replicas: [2]
      runAsNonRoot: true                | runAsNonroot: true
      """)
  void slip_of_the_pen_is_found(String right, String wrong) throws IOException {
    String yaml = Files.readString(EXAMPLE);
    assertThat(yaml).contains(right);

    assertThatThrownBy(() -> read(yaml.replace(right, wrong))).isInstanceOf(RuntimeException.class);
  }

  @Test
  void probes_ask_the_health_checks_of_the_product() throws IOException {
    Container container = container();

    assertThat(path(container.getStartupProbe())).isEqualTo("/health/started");
    assertThat(path(container.getReadinessProbe())).isEqualTo("/health/ready");
    assertThat(path(container.getLivenessProbe())).isEqualTo("/health/live");
    assertThat(List.of(container.getStartupProbe(), container.getReadinessProbe(),
        container.getLivenessProbe()))
        .allSatisfy(probe -> assertThat(probe.getHttpGet().getPort().getStrVal())
            .isEqualTo(container.getPorts().get(0).getName()));
    JsonObject document;
    try (var json = jakarta.json.Json.createReader(new StringReader(STRICT.writeValueAsString(
        new Load(LoadSettings.builder().build())
            .loadFromString(
                Files.readString(Path.of("src/main/resources/META-INF/tasker/openapi.yaml"))))))) {
      document = json.readObject();
    }
    assertThat(document.getJsonObject("paths")).containsKeys("/health/started", "/health/ready",
        "/health/live");
  }

  private static String path(Probe probe) {
    return probe.getHttpGet().getPath();
  }

  @Test
  void there_is_time_for_the_drain() throws IOException {
    long drain = Long.parseLong(container().getEnv().stream()
        .filter(variable -> variable.getName().equals("TASKER_WORKER_DRAIN_SECONDS"))
        .map(EnvVar::getValue).findFirst().orElseThrow());
    long before = Long
        .parseLong(container().getLifecycle().getPreStop().getExec().getCommand().get(1));

    assertThat(
        only(Deployment.class).getSpec().getTemplate().getSpec().getTerminationGracePeriodSeconds())
        .isGreaterThanOrEqualTo(before + drain + 30);
  }

  @Test
  void names_and_labels_lead_to_each_other() throws IOException {
    Deployment deployment = only(Deployment.class);
    Map<String, String> labels = deployment.getSpec().getTemplate().getMetadata().getLabels();

    assertThat(labels.entrySet())
        .containsAll(deployment.getSpec().getSelector().getMatchLabels().entrySet());
    assertThat(labels.entrySet())
        .containsAll(only(Service.class).getSpec().getSelector().entrySet());
    assertThat(labels.entrySet()).containsAll(
        only(PodDisruptionBudget.class).getSpec().getSelector().getMatchLabels().entrySet());
    assertThat(only(HorizontalPodAutoscaler.class).getSpec().getScaleTargetRef().getName())
        .isEqualTo(deployment.getMetadata().getName());
    assertThat(container().getEnvFrom().get(0).getSecretRef().getName())
        .isEqualTo(only(Secret.class).getMetadata().getName());
    assertThat(only(Service.class).getSpec().getPorts().get(0).getTargetPort().getStrVal())
        .isEqualTo(container().getPorts().get(0).getName());
    assertThat(only(PodDisruptionBudget.class).getSpec().getMinAvailable().getIntVal())
        .isLessThan(deployment.getSpec().getReplicas());
  }

  @Test
  void variables_are_those_of_the_server_configuration_and_of_the_product() throws IOException {
    String known = Files.readString(Path.of("docs/configuration.md"))
        + Files.readString(Path.of("docs/servers.md"));
    TreeSet<String> used = new TreeSet<>(only(Secret.class).getStringData().keySet());
    container().getEnv().forEach(variable -> used.add(variable.getName()));

    assertThat(used).isNotEmpty().allSatisfy(name -> assertThat(known).contains("`" + name + "`"));
  }
}
