package ee.tasker.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.autoscaling.v2.MetricSpec;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
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
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * deploy/helm and the example that it renders, read as strictly as an API server would with {@code
 * --validate=strict}, and held against what the product really has.
 */
class HelmChartTest {
  private static final String KUBERNETES = "1.30.0";
  private static final Path CHART = Path.of("deploy", "helm", "tasker-ee");
  private static final Path EXAMPLE = Path.of("deploy", "kubernetes", "tasker-ee.yaml");
  private static final String HEAD = """
      # Tasker EE on Kubernetes, as the chart in deploy/helm renders values.yaml beside this file:
      #   helm template tasker-ee deploy/helm/tasker-ee -f deploy/kubernetes/values.yaml
      # Adapt names, sizes and the image; see docs/installing.md.
      """;
  private static final Map<String, Class<? extends HasMetadata>> KINDS = Map.of(
      "v1 Secret", Secret.class, "v1 Service", Service.class, "apps/v1 Deployment",
      Deployment.class,
      "policy/v1 PodDisruptionBudget", PodDisruptionBudget.class,
      "autoscaling/v2 HorizontalPodAutoscaler", HorizontalPodAutoscaler.class,
      "networking.k8s.io/v1 Ingress", Ingress.class, "networking.k8s.io/v1 NetworkPolicy",
      NetworkPolicy.class);

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
    return only(kind, Files.readString(EXAMPLE));
  }

  private static <T> T only(Class<T> kind, String yaml) {
    return read(yaml).stream().filter(kind::isInstance).map(kind::cast).findFirst().orElseThrow();
  }

  private static List<Class<?>> kinds(String yaml) {
    return read(yaml).stream().<Class<?>>map(Object::getClass).toList();
  }

  /** @param values in YAML, beside those without which nothing is rendered */
  private String rendered(String values) throws IOException {
    Path needed = folder.resolve("needed.yaml");
    Files.writeString(needed,
        "database: {host: db.example.org}\nsecret: {databasePassword: secret}\n");
    Path given = folder.resolve("given.yaml");
    Files.writeString(given, values);
    return new Helm(CHART).template().withKubeVersion(KUBERNETES).withName("shop")
        .withValuesFile(needed)
        .withValuesFile(given).call();
  }

  private static List<String> variables(String yaml) {
    return only(Deployment.class, yaml).getSpec().getTemplate().getSpec().getContainers().get(0)
        .getEnv().stream().map(variable -> variable.getName() + "=" + variable.getValue()).toList();
  }

  @TempDir
  private Path folder;

  private static Container container() throws IOException {
    return only(Deployment.class).getSpec().getTemplate().getSpec().getContainers().get(0);
  }

  @Test
  void the_chart_has_no_fault_that_helm_knows() {
    LintResult lint = new Helm(CHART).lint().strict().call();

    assertThat(lint.isFailed()).as(() -> lint.getMessages().toString()).isFalse();
  }

  @Test
  void the_example_is_what_the_chart_renders() throws IOException {
    String rendered = HEAD
        + new Helm(CHART).template().withKubeVersion(KUBERNETES).withName("tasker-ee")
            .withValuesFile(EXAMPLE.resolveSibling("values.yaml")).call();
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(EXAMPLE, rendered);
    }

    assertThat(Files.readString(EXAMPLE)).isEqualTo(rendered);
  }

  @Test
  void the_example_has_what_servers_need() throws IOException {
    assertThat(kinds(Files.readString(EXAMPLE))).containsExactlyInAnyOrder(Secret.class,
        Deployment.class, Service.class, PodDisruptionBudget.class, HorizontalPodAutoscaler.class);
  }

  @Test
  void with_every_value_each_document_is_an_object_of_kubernetes() throws IOException {
    String yaml = rendered("""
        image: {tag: "9", pullSecrets: [{name: registry}]}
        settings: {TASKER_WORKER_CAPACITY: 100, TASKER_WORKER_NAMESPACES: "a,b"}
        database: {sslMode: verify-full, authority: {configMap: authority}, listenHost: direct,
          listenPort: 6000, prepareThreshold: 0}
        service: {annotations: {a: b}}
        ingress: {enabled: true, className: nginx, annotations: {a: b}, host: shop.example.org,
          tlsSecret: certificate}
        autoscaling: {enabled: true, oldestOfferSeconds: 30}
        networkPolicy: {enabled: true, from: [{podSelector: {}}],
          database: [{ipBlock: {cidr: 10.0.0.0/8}}]}
        podAnnotations: {a: b}
        podLabels: {team: shop}
        nodeSelector: {a: b}
        tolerations: [{key: a, operator: Exists}]
        affinity: {podAntiAffinity: {}}
        topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone,
          whenUnsatisfiable: ScheduleAnyway}]
        """);

    assertThat(kinds(yaml)).containsExactlyInAnyOrderElementsOf(KINDS.values());
    assertThat(variables(yaml)).contains("DB_SSL_MODE=verify-full",
        "DB_SSL_ROOT_CERT=/run/tasker-ee-authority/ca.crt", "DB_LISTEN_HOST=direct",
        "DB_LISTEN_PORT=6000", "DB_PREPARE_THRESHOLD=0", "TASKER_WORKER_CAPACITY=100",
        "TASKER_WORKER_NAMESPACES=a,b");
    assertThat(only(HorizontalPodAutoscaler.class, yaml).getSpec().getMetrics())
        .extracting(MetricSpec::getType).containsExactly("Resource", "External");
    assertThat(only(NetworkPolicy.class, yaml).getSpec().getEgress().stream()
        .flatMap(rule -> rule.getPorts().stream()).map(port -> port.getPort().getIntVal()))
        .containsExactly(53, 53, 5432, 6000, 443);
    assertThat(only(Deployment.class, yaml).getSpec().getReplicas())
        .as("the autoscaler's, which each upgrade would reset").isNull();
  }

  @Test
  void the_metric_of_the_autoscaler_is_one_of_the_product() throws IOException {
    assertThat(Files.readString(Path.of("docs/reference/metrics.md")))
        .contains("`" + only(HorizontalPodAutoscaler.class,
            rendered("autoscaling: {enabled: true, cpu: 0, oldestOfferSeconds: 5}")).getSpec()
            .getMetrics().get(0).getExternal().getMetric().getName());
  }

  @Test
  void servers_that_take_no_requests_have_no_service() throws IOException {
    String yaml = rendered(
        "{roles: \"worker, orchestrator\", ingress: {enabled: true, host: shop.example.org}}");

    assertThat(kinds(yaml)).contains(Deployment.class).doesNotContain(Service.class, Ingress.class);
    assertThat(variables(yaml)).contains("TASKER_ROLES=worker,orchestrator");
    assertThat(kinds(rendered("{roles: \"api, worker\"}"))).contains(Service.class);
  }

  @Test
  void a_secret_of_your_own_is_used_and_none_is_made() throws IOException {
    String yaml = rendered("secret: {name: mine}");

    assertThat(kinds(yaml)).doesNotContain(Secret.class);
    assertThat(only(Deployment.class, yaml).getSpec().getTemplate().getSpec().getVolumes())
        .extracting(volume -> volume.getSecret().getSecretName()).containsExactly("mine");
    assertThat(variables(yaml))
        .contains("TASKER_SECURITY_ADMIN_PASSWORD_FILE=/run/tasker-ee/admin-password");
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      database: {host: ""}                  | set database.host
      secret: {databasePassword: ""}        | set secret.name, or secret.databasePassword
      ingress: {enabled: true}              | set ingress.host
      autoscaling: {enabled: true, cpu: 0}  | set autoscaling.cpu or autoscaling.oldestOfferSeconds
      database: {hots: db}                  | hots
      database: {sslMode: verify}           | sslMode
      roles: "api, wroker"                  | roles
      settings: {"db-host": db}             | db-host
      replicas: many                        | replicas
      """)
  void what_is_wrong_is_refused_with_its_name(String values, String told) {
    assertThatThrownBy(() -> rendered(values)).hasMessageContaining(told);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      terminationGracePeriodSeconds: 90 | terminationGracePeriodSecond: 90
      readinessProbe:                   | readynessProbe:
      failureThreshold: 60              | failureThreshold: sixty
      minAvailable: 1                   | minAvailible: 1
      kind: Deployment                  | kind: Deploiment
      apiVersion: policy/v1             | apiVersion: policy/v2
      secretName:                       | secretNam:
      averageUtilization: 70            | averageUtilisation: 70
      maxReplicas: 6                    | maxReplicas: [6]
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
    Volume passwords = deployment.getSpec().getTemplate().getSpec().getVolumes().get(0);
    assertThat(passwords.getSecret().getSecretName())
        .isEqualTo(only(Secret.class).getMetadata().getName());
    String mounted = container().getVolumeMounts().get(0).getMountPath();
    assertThat(only(Secret.class).getStringData().keySet()).extracting(key -> mounted + "/" + key)
        .allSatisfy(file -> assertThat(container().getEnv()).extracting(EnvVar::getValue)
            .contains(file));
    assertThat(only(Service.class).getSpec().getPorts().get(0).getTargetPort().getStrVal())
        .isEqualTo(container().getPorts().get(0).getName());
    assertThat(only(PodDisruptionBudget.class).getSpec().getMinAvailable().getIntVal())
        .isLessThan(only(HorizontalPodAutoscaler.class).getSpec().getMinReplicas());
  }

  @Test
  void variables_are_those_of_the_server_configuration_and_of_the_product() throws IOException {
    String known = Files.readString(Path.of("docs/configuration.md"))
        + Files.readString(Path.of("docs/servers.md"));
    TreeSet<String> used = new TreeSet<>();
    container().getEnv().forEach(variable -> used.add(variable.getName()));

    assertThat(used).isNotEmpty().allSatisfy(name -> assertThat(known).contains("`" + name + "`"));
  }
}
