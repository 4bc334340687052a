package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Removes the guards of the application one at a time: changes a source, compiles it separately,
 * puts it first on the class path, and runs the tests that must fail in a JVM of their own. The
 * scripts of {@code db/install} are sources, too: the application has them as they are. Run by
 * {@code ./mvnw verify -Pmutations}, as {@link GuardMutations}, which does it with those of the
 * database.
 */
class JavaGuardMutations {
  private static final String TOKENS = "security/Tokens";
  private static final String TOKENS_TEST = "ee.tasker.security.TokensTest";
  private static final String GRANTS_TEST = "ee.tasker.security.GrantsTest";

  private static final String PREPARE = "db/install/prepare.sql";
  private static final String FINISH = "db/install/finish.sql";
  private static final String COMPARE = "db/install/compare.sql";
  private static final String GIVES_WAY = "db/migration/beforeEachMigrate__gives_way.sql";
  private static final String MIGRATIONS = "ee.tasker.platform.sql.MigrationsTest#";
  private static final String ROUTINES = "ee.tasker.protection.RoutinesTest#";

  /**
   * @param file a class without its package, or a script
   * @param test a class, or a method as {@code class#method}
   */
  private record Guard(String what, String file, String text, String by, String test) {
    boolean isScript() {
      return file.endsWith(".sql");
    }

    Path source() {
      return isScript() ? Path.of(file)
          : Path.of("src", "main", "java", "ee", "tasker", file + ".java");
    }
  }

  private static final List<Guard> GUARDS = List.of(
      new Guard("a token is signed by the issuer", TOKENS,
          "JWTClaimsSet claims = processor.process(token, null);",
          "JWTClaimsSet claims = com.nimbusds.jwt.JWTParser.parse(token).getJWTClaimsSet();\n"
              + "      if (claims == null) {\n        processor.process(token, null);\n      }",
          TOKENS_TEST),
      new Guard("a token is of the issuer", TOKENS,
          "new JWTClaimsSet.Builder().issuer(settings.issuer()).build()",
          "new JWTClaimsSet.Builder().build()", TOKENS_TEST),
      new Guard("a token is for us", TOKENS, "new HashSet<>(Set.of(settings.audience()))",
          "(Set<String>) null", TOKENS_TEST),
      new Guard("a token ends", TOKENS, "Set.of(\"exp\", settings.nameClaim())",
          "Set.of(settings.nameClaim())", TOKENS_TEST),
      new Guard("a token has a subject", TOKENS, "Set.of(\"exp\", settings.nameClaim())",
          "Set.of(\"exp\")", TOKENS_TEST),
      new Guard("a token is for its namespaces", TOKENS, "new Grants.Grant(permission, namespace)",
          "new Grants.Grant(permission, null)",
          TOKENS_TEST),
      new Guard("a fire time is late by when it was due", "schedule/FirePlan",
          "Timings.instant(schedule, \"next_due_at\").orElse(expected).isBefore(window)",
          "expected.isBefore(window)",
          "ee.tasker.schedule.SchedulesTest#a_fire_time_is_late_when_it_was_due_and_not_when_jitter_was_to_delay_it"),
      new Guard("a permission is for its namespace", "security/Grants",
          "somewhere.getOrDefault(permission, Set.of()).contains(namespace)",
          "somewhere.containsKey(permission)", GRANTS_TEST),
      new Guard("a filter by content finds only where content may be read", "security/Grants",
          "some.stream().filter(others::contains).collect(Collectors.toUnmodifiableSet())", "some",
          GRANTS_TEST),
      new Guard("a permission in a namespace is none everywhere", "security/Grants",
          "    return everywhere.contains(permission);",
          "    return may(permission);", GRANTS_TEST),
      new Guard("a permission is that and no other", "security/Grants",
          "if (permission.isMeantBy(grant.permission())) {",
          "if (grant.permission() != null) {", GRANTS_TEST),
      new Guard("a caller has a name that can be kept", "security/Caller",
          "JsonbCheck.complaint(name).isEmpty()", "true",
          "ee.tasker.security.CallerTest"),
      new Guard("a caller has namespaces that can be kept", "security/Caller",
          "allMatch(namespace -> JsonbCheck.complaint(namespace).isEmpty())",
          "allMatch(namespace -> true)",
          "ee.tasker.security.CallerTest"),
      new Guard("a body counts with all digits of its numbers", "rest/http/JsonShape",
          "if (text.length() + writtenOut > limit) {",
          "if (text.length() > limit) {", "ee.tasker.rest.http.RequestBodiesTest"),
      new Guard("an element of a batch is no longer than a request", "rest/http/JsonShape",
          "isArray && elementFrom >= 0 &&",
          "isArray && elementFrom < -1 &&", "ee.tasker.rest.http.RequestBodiesTest"),
      new Guard("a namespace has one turn at a time", "platform/load/Turns",
          "return !inProgress.contains(namespace) && ", "return ",
          "ee.tasker.platform.load.TurnsTest"),
      new Guard("costly requests take turns", "platform/load/LargeWork",
          "isLarge(length) || submits && costly.isApart(namespace);", "isLarge(length);",
          "ee.tasker.platform.load.LargeWorkTest"),
      new Guard("what a schema takes counts as effort", "template/SchemaMeter",
          "Effort.add(meter.steps * NANOS_OF_STEP);", "",
          "ee.tasker.template.ContextSchemaTest"),
      new Guard("a turn waits for the end of a rest", "platform/load/Turns",
          " && rests.nanosLeft(namespace) <= 0;", ";", "ee.tasker.platform.load.TurnsTest"),
      new Guard("a turn is followed by a rest", "platform/load/Turns",
          "rests.worked(namespace, System.nanoTime() - begin);", "",
          "ee.tasker.platform.load.TurnsTest"),
      new Guard("a namespace without others never rests", "platform/load/Rests",
          "if (hasOthers(namespace)) {",
          "if (true) {", "ee.tasker.platform.load.RestsTest"),
      new Guard("rests are longer while calls for all are slow", "platform/load/Rests",
          "Math.max(slowdown() / SLOW, 1)", "1", "ee.tasker.platform.load.RestsTest"),
      new Guard("what is dearer for good becomes the usual", "platform/load/Slowdown",
          "best * Math.pow(2, (time - last) / DOUBLES_IN)", "best",
          "ee.tasker.platform.load.RestsTest"),
      new Guard("small submissions take turns while calls are slow", "platform/load/LargeWork",
          "isHeavy || submits && rests.isHeavy(namespace)", "isHeavy",
          "ee.tasker.platform.load.LargeWorkTest"),
      new Guard("operators wait for no turn", "platform/load/LargeWork",
          "isHeavy || submits && rests.isHeavy(namespace)", "isHeavy || rests.isHeavy(namespace)",
          "ee.tasker.platform.load.LargeWorkTest"),
      new Guard("what is refused has a turn", "rest/http/RequestBodies",
          "    Body body = new Body(",
          "    if (refused != null) throw refused;\n    Body body = new Body(",
          "ee.tasker.rest.http.RequestBodiesTest"),
      new Guard("rests add up", "platform/load/Rests", "Math.max(known - now, 0) + fresh - now",
          "fresh - now", "ee.tasker.platform.load.RestsTest"),
      new Guard("the surplus of large requests does not wait", "platform/load/Turns",
          "|| waiting.size(namespace) >= MOST_WAITING_OF_ONE) {", "|| false) {",
          "ee.tasker.platform.load.TurnsTest"),
      new Guard("a thread takes no second turn", "platform/load/Turns",
          "if (isTaken.get() != null) {",
          "if (false) {", "ee.tasker.platform.load.TurnsTest"),
      new Guard("namespaces take turns", "platform/load/RoundRobin",
          "        namespaces.remove();\n",
          "", "ee.tasker.task.SubmissionQueueTest"),
      new Guard("results that hold too many permits do not rest", "worker/KeptApart",
          " || isCrowded(namespace)", "", "ee.tasker.worker.KeptApartTest"),
      new Guard("results of a namespace that rests wait", "worker/KeptApart",
          "restNanos(namespace) <= 0", "true", "ee.tasker.worker.KeptApartTest"),
      new Guard("a call of submissions has a length", "platform/load/RoundRobin",
          "&& weighs < enough", "&& true", "ee.tasker.task.SubmissionQueueTest"),
      new Guard("a namespace that has the server for itself is not kept apart",
          "platform/load/SlowNamespaces", "} else if (isSlow && hasOthers(namespaces)) {",
          "} else if (isSlow) {", "ee.tasker.platform.load.SlowNamespacesTest"),
      new Guard("a slow machine is no slow namespace", "platform/load/SlowNamespaces",
          "before == 0 || each > TIMES_THE_USUAL * before", "true",
          "ee.tasker.platform.load.SlowNamespacesTest"),
      new Guard("what is costly by count stays apart", "platform/load/SlowNamespaces",
          "if (isCounted) {", "if (false) {",
          "ee.tasker.platform.load.SlowNamespacesTest"),
      new Guard("every second call is proof", "platform/load/SlowNamespaces",
          "known.proof() <= 1 ? null", "true ? null",
          "ee.tasker.platform.load.SlowNamespacesTest"),
      new Guard("a pause of the machine is no proof", "platform/load/SlowNamespaces",
          "(isCounted ? 1 : 2) * SLOW_CALL", "SLOW_CALL",
          "ee.tasker.platform.load.SlowNamespacesTest"),
      new Guard("a slow call claims only what follows its steps", "dispatch/ClaimProtocol",
          "takesOn && most > 0 && hint.take()", "takesOn && hint.take()",
          "ee.tasker.dispatch.ClaimProtocolTest"),
      new Guard("steps that a reply has left out are given back", "dispatch/ClaimProtocol",
          "      source.release(leftOut);\n", "",
          "ee.tasker.dispatch.ClaimProtocolTest"),
      new Guard("a member is shown to those who may see it", "rest/http/MemberPermissions",
          "!permissions.stream().allMatch(has)", "!permissions.stream().anyMatch(has)",
          "ee.tasker.rest.http.MemberPermissionsTest"),
      new Guard("an action is offered to those who may take it", "rest/http/MemberPermissions",
          "          && !words.getOrDefault(word.getString(), Set.of()).stream().allMatch(has);",
          "          && words.getOrDefault(word.getString(), Set.of()) == null;",
          "ee.tasker.rest.http.MemberPermissionsTest"),
      new Guard("a stream of some tasks has no event of others", "event/EventFilter",
          "(tasks().isEmpty() || tasks().contains(move.taskUuid()))", "true",
          "ee.tasker.event.EventFilterTest"),
      new Guard("a request has a hundred violations", "platform/Violations",
          "&& count++ < Problem.MOST_VIOLATIONS) {",
          "&& count++ < Integer.MAX_VALUE) {", "ee.tasker.platform.BodySchemaTest"),
      new Guard("a field has one violation", "platform/Violations", "!has(field) && ", "",
          "ee.tasker.platform.BodySchemaTest"),
      new Guard("rules over members are asked about a body that its schema finds wrong",
          "platform/BodySchema", "rules.accept(body, violations);",
          "violations.check();\n    rules.accept(body, violations);",
          "ee.tasker.platform.BodySchemaTest"),
      new Guard("a rest that ends while a turn is asked for is over", "platform/load/Turns",
          "long rest = rests.nanosLeft(namespace);\n      grant();",
          "grant();\n      long rest = rests.nanosLeft(namespace);",
          "ee.tasker.platform.load.TurnsTest"),
      new Guard("a text of a body can be stored", "platform/BodySchema",
          "return isCleaned ? null :", "return true ? null :", "ee.tasker.platform.BodySchemaTest"),
      new Guard("a claim shows workers no member that is for servers alone",
          "rest/work/ClaimedStepDocuments", ".remove(\"template_step_uuid\")", "",
          "ee.tasker.rest.work.ClaimedStepDocumentsTest"),
      new Guard("a body is judged as JSON Schema judges it", "platform/BodySchema",
          "&& text.length() <= most", "", "ee.tasker.rest.RequestSchemasTest"),
      new Guard("a time can be read again", "platform/StorableTime",
          "!time.isBefore(FIRST) && !time.isAfter(LAST)", "true",
          "ee.tasker.rest.http.ParametersTest"),
      new Guard("a pattern has a size", "template/PatternReader", "if (size > LARGEST) {",
          "if (false) {",
          "ee.tasker.template.SchemaPatternTest"),
      new Guard("the patterns of a template have a size together", "template/Problems",
          "return patternStates <= Limits.PATTERN_STATES;",
          "return true;", "ee.tasker.template.TemplateSchemasTest"),
      new Guard("what was not validated is no violation", "template/ContextSchema",
          "} catch (SchemaMeter.TooMuch tooMuch) {\n      return new Verdict.Undecided(tooMuch.getMessage());",
          "} catch (SchemaMeter.TooMuch tooMuch) {\n      return new Verdict.Invalid(List.of(new Violation(\"\", tooMuch.getMessage())));",
          "ee.tasker.template.ContextSchemaTest"),
      new Guard("guessing gets slower", "security/Backoff", "count < FREE ? 0 :",
          "count < 1_000_000 ? 0 :",
          "ee.tasker.security.BackoffTest"),
      new Guard("unknown names do not fill the memory", "security/Backoff",
          "return size() > NAMES;", "return false;",
          "ee.tasker.security.BackoffTest"),
      new Guard("few requests wait for a password to be checked", "security/Derivations",
          "permits.getQueueLength() >= mostWaiting",
          "permits.getQueueLength() == Integer.MAX_VALUE", "ee.tasker.security.DerivationsTest"),
      new Guard("a thread that has not returned is no available permit", "dispatch/Permits",
          "    lost.incrementAndGet();\n    free.decrementAndGet();\n",
          "    lost.incrementAndGet();\n", "ee.tasker.dispatch.PermitsTest"),
      new Guard("a server that stops claims nothing", "dispatch/Permits",
          "return registered && !draining && !paused;", "return registered && !paused;",
          "ee.tasker.dispatch.PermitsTest#draining_server_gives_no_hand_away"),
      new Guard("a server that stops waits for the steps that it runs", "dispatch/Permits",
          "while (free.get() < live.capacity() + expanded.get() - lost.get()) {",
          "while (free.get() < 0) {",
          "ee.tasker.dispatch.PermitsTest#waiting_for_idle_has_a_limit"),
      new Guard("results leave permits to submissions", "dispatch/Permits",
          "Math.min(most, (freeCount() + 1) / 2)", "most",
          "ee.tasker.dispatch.PermitsTest"),
      new Guard("no more single requests wait for their tasks than the limit",
          "task/SubmissionQueue", "unanswered.get() >= mostUnanswered",
          "unanswered.get() < 0", "ee.tasker.task.SubmissionQueueTest"),
      new Guard("nor when they come at the same moment", "task/SubmissionQueue",
          "unanswered.incrementAndGet() > mostUnanswered",
          "unanswered.incrementAndGet() < 0", "ee.tasker.task.SubmissionQueueTest"),
      new Guard("a request that is answered counts no more", "task/SubmissionQueue",
          "    answer.whenComplete((result, failure) -> unanswered.decrementAndGet());\n", "",
          "ee.tasker.task.SubmissionQueueTest"),
      new Guard("requests give way for half of the longest wait", "task/SubmissionQueue",
          "!hasWaitedFor(longestWait.dividedBy(2))", "true",
          "ee.tasker.task.SubmissionQueueTest"),
      new Guard("a client that waits for each step is not paused", "platform/load/CallPace",
          " && tasks >= calls * BUSY_TASKS_PER_CALL", "",
          "ee.tasker.platform.load.CallPaceTest"),
      new Guard("tasks too few to be gathered are not waited for", "platform/load/CallPace",
          "tasks * distance >= WORTH_WAITING_FOR * (double) elapsed && ", "",
          "ee.tasker.platform.load.CallPaceTest"),
      new Guard("no call waits longer than the bound", "platform/load/CallPace",
          "Math.min(LONGEST.toNanos(), usualNanos * DURATIONS_APART)",
          "usualNanos * DURATIONS_APART",
          "ee.tasker.platform.load.CallPaceTest"),
      new Guard("a handler that returns is already known as overrun", "dispatch/RunningStep",
          "      beforeInterrupt.run();\n      running.interrupt();", "      running.interrupt();",
          "ee.tasker.dispatch.RunningStepTest"),
      new Guard("a standby is no fresher than what it has replayed", "platform/sql/ReplayLag",
          " && noted.position.bytes() <= standby.bytes()", "",
          "ee.tasker.platform.sql.ReplayLagTest"),
      new Guard("a standby that cannot follow the primary is not fresh", "platform/sql/ReplayLag",
          "noted.position.timeline() == standby.timeline() && ", "",
          "ee.tasker.platform.sql.ReplayLagTest"),
      new Guard("the thread that keeps the time runs no task", "platform/thread/ThreadPool",
          "      return super.schedule(() -> {\n        startQuietly(started);\n      }, delay, unit);",
          "      return super.schedule(started, delay, unit);",
          "ee.tasker.platform.thread.ThreadPoolTest"),
      new Guard("a task that blocks keeps no other waiting", "platform/thread/ThreadPool",
          "return tryTransfer(task);",
          "return super.offer(task);", "ee.tasker.platform.thread.ThreadPoolTest"),
      new Guard("a webhook calls no address that is not allowed", "webhook/WebhookSender",
          "if (!rules.isAllowed(address)) {",
          "if (false) {",
          "ee.tasker.webhook.WebhookSenderTest"),
      new Guard("a call of a webhook ends in its time", "webhook/WebhookSender",
          "begin + TimeUnit.SECONDS.toNanos(delivery.timeoutSeconds())",
          "begin + TimeUnit.SECONDS.toNanos(20)",
          "ee.tasker.webhook.WebhookSenderTest"),
      new Guard("the body of an answer to a webhook holds up nothing", "webhook/WebhookSender",
          "closeIn(BODY_NS, socket)", "closeIn(10 * BODY_NS, socket)",
          "ee.tasker.webhook.WebhookSenderTest"),
      new Guard("a webhook calls only who has a certificate for its name", "webhook/WebhookSender",
          "parameters.setEndpointIdentificationAlgorithm(\"HTTPS\");",
          "parameters.setEndpointIdentificationAlgorithm(null);",
          "ee.tasker.webhook.WebhookSenderTest"),
      new Guard("a webhook signs with all of its secrets", "webhook/Signature",
          "return secrets.stream().map(secret",
          "return secrets.stream().skip(1).map(secret", "ee.tasker.webhook.WebhookSenderTest"),
      new Guard("a webhook has no address inside", "webhook/TargetRules",
          "if (!isAllowed(InetAddress.getByName(address))) {",
          "if (InetAddress.getByName(address) == null) {",
          "ee.tasker.webhook.TargetRulesTest"),
      new Guard("a password is compared", "security/PasswordHashes",
          "return MessageDigest.isEqual(expected, actual);",
          "return expected.length == actual.length;", "ee.tasker.security.PasswordHashesTest"),
      new Guard("two ways of logging in are none", "security/Credentials", "if (apiKey != null) {",
          "if (false) {",
          "ee.tasker.security.CredentialsTest"),
      new Guard("a form of another page has no cookie", "security/SessionCookie",
          "return isSameOrigin && (isReading || request.getHeader(CHANGE_HEADER) != null);",
          "return isSameOrigin;",
          "ee.tasker.security.SessionCookieTest"),
      new Guard("another page has no cookie", "security/SessionCookie",
          "return isSameOrigin && (isReading || request.getHeader(CHANGE_HEADER) != null);",
          "return isReading || request.getHeader(CHANGE_HEADER) != null;",
          "ee.tasker.security.SessionCookieTest"),
      new Guard("no script reads the cookie", "security/SessionCookie",
          "; HttpOnly; SameSite=Strict", "; SameSite=Strict",
          "ee.tasker.security.SessionCookieTest"),
      new Guard("a body has a length", "rest/http/RequestBodies", "if (bytes.length > limit) {",
          "if (bytes.length < 0) {",
          "ee.tasker.rest.http.RequestBodiesTest"),
      new Guard("a body has its time", "rest/http/TimedBody", "if (isLate() && !hasAll()) {",
          "if (false) {", "ee.tasker.rest.http.TimedBodyTest"),
      new Guard("a silent body has its time", "rest/http/TimedBody", "reader.interrupt();",
          "reader.isInterrupted();",
          "ee.tasker.rest.http.TimedBodyTest"),
      new Guard("a number has an end", "rest/http/JsonShape",
          "if (++end - from > LONGEST_NUMBER ||",
          "if (++end - from > 100_000_000 ||",
          "ee.tasker.rest.http.RequestBodiesTest"),
      new Guard("a body has a depth", "rest/http/JsonShape", "if (++depth > DEEPEST) {",
          "if (++depth > 1_000_000) {",
          "ee.tasker.rest.http.RequestBodiesTest"),
      new Guard("a claim that is null is not one that is absent", TOKENS,
          "return !claims.getClaims().containsKey(name) || claim instanceof String",
          "return claim == null || claim instanceof String",
          TOKENS_TEST),
      new Guard("a password that was not checked is no fault", "security/Derivations",
          "if (cause instanceof Busy) {",
          "if (fault instanceof Busy) {", "ee.tasker.security.DerivationsTest"),
      new Guard("a stream ends with the right to it", "event/EventStream",
          "return !(permission.now() instanceof Recheck.Outcome.Withdrawn<?>);",
          "return permission != null;",
          "ee.tasker.event.EventStreamTest"),
      new Guard("a worker waits no longer than it may work", "remote/RemotePolls",
          "        fail(mine, withdrawn.why());",
          "        recheckLater(null == withdrawn ? mine : mine);",
          "ee.tasker.remote.RemotePollsTest"),
      new Guard("a check that is put off for too long withdraws the right", "platform/Recheck",
          "return now - putOffSince < LONGEST_PUT_OFF.toNanos() ? outcome",
          "return now >= putOffSince ? outcome",
          "ee.tasker.platform.RecheckTest"),
      new Guard("a full disk is full until a write was possible", "platform/sql/DatabaseUsability",
          "    if (isWriteDue()) {\n      diskFullAt = null;",
          "    if (diskFullAt != null) {\n      diskFullAt = null;",
          "ee.tasker.platform.sql.DatabaseUsabilityTest"),
      new Guard("a body has one end", "rest/http/Framing",
          "return lengths.isEmpty() && codings.size() == 1 && ",
          "return codings.size() == 1 && ",
          "ee.tasker.rest.http.FramingTest"),
      new Guard("a body has one length", "rest/http/Framing",
          "return new HashSet<>(lengths).size() <= 1;", "return true;",
          "ee.tasker.rest.http.FramingTest"),
      new Guard("a step that arrives is no orphan", "dispatch/ClaimProtocol",
          "    running.arriving(keys);",
          "    running.arriving(List.of());",
          "ee.tasker.dispatch.ClaimProtocolTest"),
      new Guard("one server at a time installs the functions", PREPARE,
          "  lock table tasker.installed_routines in share row exclusive mode;\n", "",
          ROUTINES + "of_several_servers_that_start_together_one_installs"),
      new Guard("functions are not replaced by older ones", PREPARE,
          "  if found then\n    raise exception 'the database has version",
          "  if false then\n    raise exception 'the database has version",
          ROUTINES + "an_older_version_is_never_installed_over_a_newer_one"),
      new Guard("what others made is not dropped with a function", PREPARE,
          "if v_foreign is not null then", "if false then",
          ROUTINES + "what_else_depends_on_a_change_is_named_and_nothing_changes"),
      new Guard("an installation holds up no other call for long", PREPARE,
          "set_config('lock_timeout', '500ms', true)", "set_config('lock_timeout', '0', true)",
          ROUTINES + "a_table_that_is_held_for_long_delays_the_installation_and_no_other_call"),
      new Guard("a migration holds up no other call for long", GIVES_WAY,
          "set local lock_timeout = '500ms';\n", "",
          MIGRATIONS + "a_table_that_is_held_delays_the_migration_and_no_other_call"),
      new Guard("what gave way is tried again", "platform/sql/GivingWay",
          "if (number == attempts) {", "if (number > 0) {",
          MIGRATIONS + "a_table_that_is_held_delays_the_migration_and_no_other_call"),
      new Guard("an index does not wait for the lock of its own migration",
          "platform/sql/SchemaInstaller", ".setTransactionalLock(false);",
          ".setTransactionalLock(true);",
          MIGRATIONS + "an_index_is_built_and_a_table_filled_in_slices_beside_writers"),
      new Guard("a migration that has failed is repeated", "platform/sql/SchemaInstaller",
          "        forgetFailed(database, flyway);\n", "",
          MIGRATIONS + "what_has_failed_outside_of_a_transaction_is_repeated"),
      new Guard("what is missing is installed again", PREPARE,
          "where o.object not in (select e.object from existing e)\n                     or o.object",
          "where o.object",
          ROUTINES + "what_is_missing_although_it_was_installed_comes_back"),
      new Guard("a view that is dropped on the way keeps its columns' grants", PREPARE,
          "join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attacl is not null),",
          "join pg_catalog.pg_attribute a on a.attrelid = c.oid and false),",
          ROUTINES + "a_view_with_other_columns_keeps_its_grants_and_the_views_of_others"),
      new Guard("a function that is replaced keeps its grants", FINISH,
          "coalesce(nullif(v_kept -> 'grants', 'null'), '[]')", "'[]'",
          ROUTINES + "a_changed_signature_keeps_the_grants_that_an_administrator_made"),
      new Guard("views of others are put back", FINISH,
          "coalesce(nullif(v_kept -> 'views', 'null'), '[]')", "'[]'",
          ROUTINES + "a_view_with_other_columns_keeps_its_grants_and_the_views_of_others"),
      new Guard("guards that were dropped on the way are put back", FINISH,
          "if (v_kept ->> 'is_guarded')::boolean then", "if false then",
          ROUTINES + "a_function_that_guards_and_triggers_use_takes_them_down_and_puts_them_back"),
      new Guard("a version is installed as a whole", FINISH, "if v_missing is not null then",
          "if false then", ROUTINES + "a_part_that_creates_less_than_it_lists_is_named"),
      new Guard("later tables are a newer database", COMPARE,
          "(a.tables, a.version, a.is_release)\n                  > (a.own_tables, a.own_version, a.own_is_release)",
          "(a.version, a.is_release) > (a.own_version, a.own_is_release)",
          ROUTINES + "a_database_with_later_tables_is_newer_whatever_its_functions_are"),
      new Guard("a function that is gone is a difference", COMPARE,
          "where i.file not in (select p.file from parts p)) as pending",
          "where false) as pending", ROUTINES + "a_removed_function_alone_is_a_difference"),
      new Guard("an older server knows what it cannot call", COMPARE,
          "and i.signature = p.signature\n", "\n",
          ROUTINES + "an_older_server_recognises_a_newer_database_and_what_it_cannot_call"));

  @TempDir
  Path folder;

  static void findAll() {
    GUARDS.forEach(JavaGuardMutations::read);
  }

  private static String read(Guard guard) {
    try {
      String source = Files.readString(guard.source());
      return SourceText.replace("the guard \"" + guard.what() + "\" in " + guard.file(), source,
          guard.text(), guard.by());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Guard> chosen() {
    String only = System.getProperty("mutations.only", "");
    return GUARDS.stream().filter(guard -> guard.what().matches(".*(" + only + ").*"));
  }

  /** Without an empty entry, which would be the working directory with its migrations. */
  private static String classPath() {
    String all = System.getProperty("surefire.test.class.path",
        System.getProperty("java.class.path"));
    return Arrays.stream(all.split(File.pathSeparator)).filter(entry -> !entry.isBlank())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** @return the output of the run of a test class when it failed; empty when it was green */
  private String noticed(String test, String classPath) throws Exception {
    Process run = new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp", classPath,
        Run.class.getName(), test).redirectErrorStream(true).start();
    String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int end = run.waitFor();
    assertThat(end).as(output).isIn(0, Run.RED);
    return end == 0 ? "" : output;
  }

  @Test
  void all_tests_are_green_while_every_guard_is_there() throws Exception {
    for (String test : chosen().map(Guard::test).distinct().toList()) {
      assertThat(noticed(test, classPath())).as(test).isEmpty();
    }
  }

  @TestFactory
  Stream<DynamicTest> each_guard_is_missed_by_a_test() {
    return chosen()
        .map(guard -> DynamicTest.dynamicTest(guard.what(), () -> {
          Path classes = Files.createDirectories(folder.resolve("classes" + GUARDS.indexOf(guard)));
          if (guard.isScript()) {
            Path script = classes.resolve(guard.file());
            Files.createDirectories(script.getParent());
            Files.writeString(script, read(guard));
          } else {
            compile(guard, classes);
          }

          assertThat(noticed(guard.test(), classes + File.pathSeparator + classPath()))
              .as("what noticed that this is gone: " + guard.what()).isNotEmpty();
        }));
  }

  private void compile(Guard guard, Path classes) throws IOException {
    Path source = Files.writeString(
        folder.resolve(guard.file().replaceAll(".*/", "") + ".java"), read(guard));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertThat(compiler.run(null, null, null, "-proc:none", "-parameters", "-nowarn", "-cp",
        classPath(), "-d", classes.toString(),
        source.toString())).as("compiles without: " + guard.what()).isZero();
  }

  /** Runs test classes or methods and ends with {@value #RED} when one of their tests was red. */
  static final class Run {
    static final int RED = 3;

    private Run() {
    }

    public static void main(String[] tests) {
      SummaryGeneratingListener summary = new SummaryGeneratingListener();
      LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
          .selectors(Arrays.stream(tests).<DiscoverySelector>map(test -> test.contains("#")
              ? DiscoverySelectors.selectMethod(test) : DiscoverySelectors.selectClass(test))
              .toList())
          .build();
      LauncherFactory.create().execute(request, summary);
      summary.getSummary().getFailures()
          .forEach(failure -> System.out.println(
              failure.getTestIdentifier().getDisplayName() + ": " + failure.getException()));
      System.exit(summary.getSummary().getTestsFoundCount() == 0 ? 2
          : summary.getSummary().getTotalFailureCount() > 0 ? RED : 0);
    }
  }
}
