package ee.tasker;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import ee.tasker.testing.server.ServerFacts;
import jakarta.transaction.Transactional;
import java.util.stream.Stream;

/** The walls of docs/architecture.md, one sentence each. To change one, write an ADR first. */
@AnalyzeClasses(packages = "ee.tasker", importOptions = ArchitectureTest.Product.class)
class ArchitectureTest {
  /** What goes into the WAR: no tests, and not the run command, which may be a folder or a jar. */
  static final class Product implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return location.contains("/target/classes/") && !location.contains("/tools/run/");
    }
  }

  private static final String[] JDK = {"java..", "javax.sql.."};

  // ---- arrows between components

  @ArchTest
  static final ArchRule components_have_no_cycles = slices().matching("ee.tasker.(*)..").should()
      .beFreeOfCycles();

  @ArchTest
  static final ArchRule platform_knows_no_other_component = knowsOnly("platform");

  @ArchTest
  static final ArchRule rooms_of_platform_have_no_cycles = slices()
      .matching("ee.tasker.platform.(*)..").should()
      .beFreeOfCycles();

  @ArchTest
  static final ArchRule the_base_of_platform_knows_none_of_its_rooms = noClasses().that()
      .resideInAPackage("ee.tasker.platform").should()
      .dependOnClassesThat().resideInAPackage("ee.tasker.platform.*..");

  @ArchTest
  static final ArchRule handler_is_a_leaf_that_knows_the_jdk_and_json_p = classes().that()
      .resideInAPackage("ee.tasker.handler..")
      .should().onlyDependOnClassesThat()
      .resideInAnyPackage("java..", "jakarta.json..", "ee.tasker.handler..");

  @ArchTest
  static final ArchRule document_knows_platform_only = knowsOnly("document", "platform");

  @ArchTest
  static final ArchRule engine_knows_platform_only = knowsOnly("engine", "platform");

  @ArchTest
  static final ArchRule message_stands_beside_and_knows_engine = knowsOnly("message", "platform",
      "engine");

  @ArchTest
  static final ArchRule request_knows_platform_only = knowsOnly("request", "platform");

  @ArchTest
  static final ArchRule event_knows_message_engine_and_handlers = knowsOnly("event", "platform",
      "message", "engine", "handler");

  @ArchTest
  static final ArchRule tracing_knows_platform_only = knowsOnly("tracing", "platform");

  @ArchTest
  static final ArchRule template_knows_platform = knowsOnly("template", "platform", "document");

  @ArchTest
  static final ArchRule task_knows_template_and_no_dispatch = knowsOnly("task", "platform",
      "document", "engine", "message", "tracing", "template");

  @ArchTest
  static final ArchRule step_knows_template_and_no_task = knowsOnly("step", "platform",
      "document", "engine", "template");

  @ArchTest
  static final ArchRule dispatch_knows_step_and_no_task_and_no_worker = knowsOnly("dispatch",
      "platform", "engine", "message", "tracing",
      "step");

  @ArchTest
  static final ArchRule orchestration_knows_task_and_no_worker = knowsOnly("orchestration",
      "platform", "engine", "message", "request",
      "task", "schedule");

  @ArchTest
  static final ArchRule schedule_knows_task_and_no_orchestration = knowsOnly("schedule", "platform",
      "engine", "message", "template",
      "task");

  @ArchTest
  static final ArchRule webhook_knows_platform_only = knowsOnly("webhook", "platform");

  @ArchTest
  static final ArchRule worker_knows_dispatch_and_handlers_and_no_task_and_no_orchestration = knowsOnly(
      "worker", "platform", "document", "engine",
      "message", "tracing", "template", "step", "dispatch", "handler");

  @ArchTest
  static final ArchRule remote_runs_no_handler_and_knows_no_worker_of_a_server = knowsOnly("remote",
      "platform", "document", "engine", "message",
      "template", "step");

  @ArchTest
  static final ArchRule operation_knows_task_and_template = knowsOnly("operation", "platform",
      "document", "engine", "message", "template", "task");

  @ArchTest
  static final ArchRule permits_are_counted_by_dispatch_and_worker_only = noClasses().that()
      .resideOutsideOfPackages("ee.tasker.dispatch..", "ee.tasker.worker..").should()
      .dependOnClassesThat()
      .resideInAPackage("ee.tasker.dispatch..");

  @ArchTest
  static final ArchRule no_component_depends_on_rest = noClasses().that()
      .resideOutsideOfPackage("ee.tasker.rest..").should()
      .dependOnClassesThat()
      .resideInAPackage("ee.tasker.rest..");

  @ArchTest
  static final ArchRule http_knows_no_other_room_of_rest = noClasses().that()
      .resideInAPackage("ee.tasker.rest.http..").should()
      .dependOnClassesThat(resideInAnyPackage("ee.tasker.rest..")
          .and(not(resideInAPackage("ee.tasker.rest.http.."))));

  @ArchTest
  static final ArchRule rooms_of_resources_know_http_and_not_each_other = slices()
      .matching("ee.tasker.rest.(*)..").should().notDependOnEachOther()
      .ignoreDependency(resideInAPackage("ee.tasker.rest.."),
          resideInAPackage("ee.tasker.rest.http.."));

  @ArchTest
  static final ArchRule no_room_of_rest_knows_the_application = noClasses().that()
      .resideInAPackage("ee.tasker.rest.*..").should()
      .dependOnClassesThat().resideInAPackage("ee.tasker.rest");

  @ArchTest
  static final ArchRule only_rest_and_management_depend_on_insight = noClasses().that()
      .resideOutsideOfPackages("ee.tasker.insight..", "ee.tasker.rest..", "ee.tasker.management..")
      .should().dependOnClassesThat()
      .resideInAPackage("ee.tasker.insight..");

  @ArchTest
  static final ArchRule management_is_known_to_rest_only = noClasses().that()
      .resideOutsideOfPackages("ee.tasker.management..", "ee.tasker.rest..").should()
      .dependOnClassesThat()
      .resideInAPackage("ee.tasker.management..");

  @ArchTest
  static final ArchRule models_know_the_jdk_and_each_other = classes().that()
      .resideInAPackage("ee.tasker..model..")
      .should().onlyDependOnClassesThat().resideInAnyPackage("java..", "ee.tasker..model..");

  // ---- the way to the database

  @ArchTest
  static final ArchRule only_gateways_call_functions_of_the_database = noClasses().that()
      .haveSimpleNameNotEndingWith("Gateway")
      .and().doNotHaveFullyQualifiedName("ee.tasker.platform.sql.SqlFunctions")
      .and().doNotHaveFullyQualifiedName("ee.tasker.platform.sql.ReadFunctions")
      // One call, and a transaction of its own is the whole point of it: a gateway behind a facade
      // would be three classes for a line.
      .and().doNotHaveFullyQualifiedName("ee.tasker.message.Notifications")
      .should().dependOnClassesThat()
      .haveNameMatching("ee\\.tasker\\.platform\\.sql\\.(Sql|Read)Functions");

  @ArchTest
  static final ArchRule gateways_are_hidden_in_their_component = classes().that()
      .haveSimpleNameEndingWith("Gateway").should()
      .bePackagePrivate();

  @ArchTest
  static final ArchRule only_entity_manager_calls_has_an_entity_manager = noClasses().that()
      .doNotHaveFullyQualifiedName("ee.tasker.platform.sql.EntityManagerCalls")
      .should().dependOnClassesThat()
      .haveNameMatching(
          "jakarta\\.persistence\\.(EntityManager.*|Persistence(Context|Unit)|Query)");

  /** Both ways to the database report faults in it. */
  @ArchTest
  static final ArchRule jakarta_persistence_is_known_to_the_way_to_the_database = noClasses().that()
      .haveNameNotMatching("ee\\.tasker\\.platform\\.sql\\.(EntityManager|Statement)Calls").and()
      .doNotHaveFullyQualifiedName("ee.tasker.platform.sql.SqlFunctions")
      .should().dependOnClassesThat().resideInAPackage("jakarta.persistence..");

  @ArchTest
  static final ArchRule jdbc_is_for_migration_listening_connecting_the_replica_and_reading_sqlstates = noClasses()
      .that()
      .doNotHaveSimpleName("SchemaMigration").and()
      .haveNameNotMatching("ee\\.tasker\\.platform\\.sql\\.MigrationDataSource(\\$.*)?").and()
      .haveNameNotMatching("ee\\.tasker\\.message\\.Listener(\\$.*)?").and()
      .doNotHaveSimpleName("Replica")
      // What is asked of the way to the database before the first call: ADR 0084.
      .and().haveNameNotMatching("ee\\.tasker\\.platform\\.sql\\.SchemaRights(\\$.*)?")
      .and().haveNameNotMatching("ee\\.tasker\\.platform\\.sql\\.Routines(\\$.*)?")
      .and().doNotHaveSimpleName("SchemaInstaller")
      .and().doNotHaveSimpleName("DirectConnection").and().doNotHaveSimpleName("PoolerCheck")
      .and().doNotHaveSimpleName("ServerSessions").and().doNotHaveSimpleName("FirstConnection")
      .and().doNotHaveSimpleName("EntityManagerCalls")
      .and().doNotHaveSimpleName("ReadOnlyConnection").and().doNotHaveSimpleName("DatabaseFaults")
      .and().doNotHaveSimpleName("FaultMapper").and().doNotHaveSimpleName("SqlState")
      .and().haveNameNotMatching("ee\\.tasker\\.platform\\.sql\\.GivingWay(\\$.*)?")
      .and().haveNameNotMatching("ee\\.tasker\\.platform\\.sql\\.EclipseLinkSettings(\\$.*)?")
      .should().dependOnClassesThat()
      .resideInAnyPackage("java.sql..", "javax.sql..", "org.postgresql..", "org.flywaydb..");

  // ---- transactions

  @ArchTest
  static final ArchRule neither_rest_nor_gateways_nor_models_carry_transactions = noClasses().that()
      .resideInAPackage("ee.tasker.rest..")
      .or().haveSimpleNameEndingWith("Gateway").or().resideInAPackage("..model..")
      .should().beAnnotatedWith("jakarta.transaction.Transactional");

  @ArchTest
  static final ArchRule methods_of_rest_and_gateways_carry_no_transactions = methods().that()
      .areDeclaredInClassesThat(
          resideInAnyPackage("ee.tasker.rest..")
              .or(describe("gateways", type -> type.getSimpleName().endsWith("Gateway"))))
      .should().notBeAnnotatedWith("jakarta.transaction.Transactional");

  @ArchTest
  static final ArchRule transactions_are_carried_by_public_facades_only = methods().that()
      .areAnnotatedWith("jakarta.transaction.Transactional")
      .should().bePublic().andShould()
      .beDeclaredInClassesThat(describe("own no thread, timer or lock",
          type -> type.getAllFields().stream()
              .noneMatch(field -> field.getRawType().getPackageName()
                  .startsWith("jakarta.enterprise.concurrent"))));

  @ArchTest
  static final ArchRule only_step_transactions_control_transactions_programmatically =
      // The transaction of a transactional handler has the time-out of its step, and its failed
      // commit is an outcome (ADR 0014).
      noClasses().that().doNotHaveFullyQualifiedName("ee.tasker.worker.StepTransactions")
          .should().dependOnClassesThat()
          .haveFullyQualifiedName("jakarta.transaction.UserTransaction");

  @ArchTest
  static final ArchRule timers_and_startups_run_outside_transactions = classes().that()
      .areAnnotatedWith("jakarta.ejb.Singleton")
      .should()
      .beAnnotatedWith(describe("not supporting a transaction",
          annotation -> annotation.getRawType().getName().equals("jakarta.ejb.TransactionAttribute")
              && annotation.getProperties().toString().contains("NOT_SUPPORTED")));

  // ---- threads, time, configuration

  @ArchTest
  static final ArchRule threads_come_from_the_container =
      // Its threads are made by the container's ManagedThreadFactory (ADR 0025).
      noClasses().that().haveNameNotMatching("ee\\.tasker\\.platform\\.thread\\.ThreadPool(\\$.*)?")
          .should()
          .callConstructorWhere(describe("of a thread, a pool or a timer",
              call -> call.getTargetOwner().isAssignableTo(Thread.class)
                  || call.getTargetOwner().isAssignableTo(java.util.Timer.class)
                  || call.getTargetOwner()
                      .isAssignableTo(java.util.concurrent.AbstractExecutorService.class)))
          .orShould().dependOnClassesThat().areAssignableTo(java.util.concurrent.Executors.class)
          .orShould(callMethodWhere(describe("starts work on a pool of the JVM",
              call -> call.getTargetOwner()
                  .isAssignableTo(java.util.concurrent.CompletableFuture.class)
                  && call.getName().endsWith("Async")
                  && call.getTarget().getRawParameterTypes().stream()
                      .noneMatch(
                          type -> type.isAssignableTo(java.util.concurrent.Executor.class)))));

  /**
   * What waits on them waits for all that the server does: on Open Liberty they are the threads of
   * HTTP.
   */
  @ArchTest
  static final ArchRule no_work_goes_to_the_managed_executors_of_the_server = noClasses().should()
      .dependOnClassesThat()
      .haveNameMatching("jakarta\\.enterprise\\.concurrent\\.Managed(Scheduled)?ExecutorService");

  @ArchTest
  static final ArchRule no_code_sleeps = noClasses().should(callMethodWhere(
      describe("Thread.sleep", call -> call.getTargetOwner().isEquivalentTo(Thread.class)
          && call.getName().equals("sleep"))));

  /**
   * Poller and Heartbeat record when they last ran, for health checks; no decision about tasks
   * depends on it. The expiry of a token is compared with
   * the clock that verifies it, and the header Date of a response is the time of the server that
   * sends it.
   */
  @ArchTest
  static final ArchRule the_clock_is_the_databases = noClasses().that()
      .doNotHaveFullyQualifiedName("ee.tasker.orchestration.Poller").and()
      .doNotHaveFullyQualifiedName("ee.tasker.worker.Heartbeat")
      .and().doNotHaveFullyQualifiedName("ee.tasker.orchestration.OrchestratorLoop")
      .and().doNotHaveFullyQualifiedName("ee.tasker.security.Tokens$Known")
      .and().doNotHaveFullyQualifiedName("ee.tasker.rest.http.AccessFilter")
      .and().haveSimpleNameNotEndingWith("Readiness").and().haveSimpleNameNotEndingWith("Liveness")
      .should(callMethodWhere(describe("reads the clock of this machine",
          call -> call.getName().equals("currentTimeMillis")
              || (call.getName().equals("now")
                  && call.getTargetOwner().getPackageName().equals("java.time"))
              || call.getTargetOwner().isEquivalentTo(java.time.Clock.class))))
      .orShould().callConstructor(java.util.Date.class);

  @ArchTest
  static final ArchRule only_platform_reads_configuration = noClasses().that()
      .resideOutsideOfPackage("ee.tasker.platform..")
      .should().dependOnClassesThat().resideInAPackage("org.eclipse.microprofile.config..")
      .orShould(callMethodWhere(describe("reads the environment",
          call -> call.getTargetOwner().isEquivalentTo(System.class)
              && (call.getName().equals("getenv") || call.getName().equals("getProperty")))));

  // ---- portability and logging

  @ArchTest
  static final ArchRule every_server_of_jakarta_ee_can_run_it = noClasses().should()
      .dependOnClassesThat().resideInAnyPackage(Stream.concat(
          ServerFacts.ofAll("packages").stream(), Stream.of("com.sun", "sun", "org.hibernate"))
          .map(name -> name + "..").toArray(String[]::new));

  @ArchTest
  static final ArchRule eclipselink_is_known_to_its_customizer_only = noClasses().that()
      .haveNameNotMatching("ee\\.tasker\\.platform\\.sql\\.EclipseLinkSettings(\\$.*)?")
      .should().dependOnClassesThat().resideInAPackage("org.eclipse.persistence..");

  /** A server need not have it: a class that refers to it cannot be loaded there. */
  @ArchTest
  static final ArchRule opentelemetry_is_known_to_one_class_that_its_door_loads = noClasses().that()
      .haveNameNotMatching("ee\\.tasker\\.tracing\\.OpenTelemetrySpans(\\$.*)?")
      .should().dependOnClassesThat().resideInAPackage("io.opentelemetry..");

  @ArchTest
  static final ArchRule log_lines_come_from_the_catalogue = noClasses().that()
      .haveNameNotMatching("ee\\.tasker\\.platform\\.log\\.Log(|Event|Fields)(\\$.*)?")
      .should().dependOnClassesThat().haveNameMatching("java\\.lang\\.System\\$Logger.*")
      .orShould().dependOnClassesThat()
      .resideInAnyPackage("java.util.logging..", "org.slf4j..", "org.apache.log4j..",
          "org.apache.logging..",
          "org.apache.commons.logging..")
      .orShould(callMethodWhere(describe("prints",
          call -> call.getTargetOwner().isAssignableTo(java.io.PrintStream.class)
              || call.getName().equals("printStackTrace"))));

  /**
   * A commit with an unknown outcome is a checked exception of the transaction manager on some
   * servers, thrown by methods that declare none.
   */
  @ArchTest
  static final ArchRule code_that_survives_a_transaction_fault_survives_the_checked_ones_too = codeUnits()
      .should(new ArchCondition<>(
          "not catch RuntimeException alone around a call of a transactional method") {
        @Override
        public void check(JavaCodeUnit unit, ConditionEvents events) {
          unit.getTryCatchBlocks().stream()
              .filter(block -> block.getCaughtThrowables().stream()
                  .anyMatch(caught -> caught.isEquivalentTo(RuntimeException.class)))
              .filter(block -> block.getCaughtThrowables().stream()
                  .noneMatch(caught -> caught.isEquivalentTo(Exception.class)))
              .filter(block -> block.getAccessesContainedInTryBlock().stream()
                  .anyMatch(
                      access -> access.getTarget() instanceof AccessTarget.MethodCallTarget method
                          && (method.getOwner().isAnnotatedWith(Transactional.class)
                              || method.resolveMember()
                                  .filter(called -> called.isAnnotatedWith(Transactional.class))
                                  .isPresent())))
              .forEach(block -> events
                  .add(SimpleConditionEvent.violated(unit,
                      "catches RuntimeException alone in " + block.getSourceCodeLocation())));
        }
      });

  @ArchTest
  static final ArchRule state_is_not_static = noFields().that().areStatic().should().notBeFinal();

  private static ArchRule knowsOnly(String component, String... others) {
    String[] allowed = new String[others.length + 1];
    allowed[0] = "ee.tasker." + component + "..";
    for (int i = 0; i < others.length; i++) {
      allowed[i + 1] = "ee.tasker." + others[i] + "..";
    }
    return noClasses().that().resideInAPackage("ee.tasker." + component + "..")
        .should().dependOnClassesThat(
            resideInAnyPackage("ee.tasker..").and(not(resideInAnyPackage(allowed))));
  }
}
