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
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Removes the Java guards one at a time: changes a source, compiles it separately, puts it first on
 * the class path, and runs the tests that must fail in a JVM of
 * their own. Run by {@code ./mvnw verify -Pmutations}, as {@link GuardMutations}, which does it
 * with those of the database.
 */
class JavaGuardMutations {
  private static final String TOKENS = "security/Tokens";
  private static final String TOKENS_TEST = "ee.tasker.security.TokensTest";
  private static final String GRANTS_TEST = "ee.tasker.security.GrantsTest";

  private record Guard(String what, String file, String text, String by, String test) {
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
      new Guard("a body counts with all digits of its numbers", "rest/JsonShape",
          "if (text.length() + writtenOut > limit) {",
          "if (text.length() > limit) {", "ee.tasker.rest.RequestBodiesTest"),
      new Guard("an element of a batch is no longer than a request", "rest/JsonShape",
          "isArray && elementFrom >= 0 &&",
          "isArray && elementFrom < -1 &&", "ee.tasker.rest.RequestBodiesTest"),
      new Guard("a namespace has one turn at a time", "platform/Turns",
          "return !inProgress.contains(namespace) && ", "return ",
          "ee.tasker.platform.TurnsTest"),
      new Guard("costly requests take turns", "platform/LargeWork",
          "isLarge(length) || submits && costly.isApart(namespace);", "isLarge(length);",
          "ee.tasker.platform.LargeWorkTest"),
      new Guard("what a schema takes counts as effort", "template/SchemaMeter",
          "Effort.add(meter.steps * NANOS_OF_STEP);", "",
          "ee.tasker.template.ContextSchemaTest"),
      new Guard("a turn waits for the end of a rest", "platform/Turns",
          " && rests.nanosLeft(namespace) <= 0;", ";", "ee.tasker.platform.TurnsTest"),
      new Guard("a turn is followed by a rest", "platform/Turns",
          "rests.worked(namespace, System.nanoTime() - begin);", "",
          "ee.tasker.platform.TurnsTest"),
      new Guard("a namespace without others never rests", "platform/Rests",
          "if (hasOthers(namespace)) {",
          "if (true) {", "ee.tasker.platform.RestsTest"),
      new Guard("rests are longer while calls for all are slow", "platform/Rests",
          "Math.max(slowdown() / SLOW, 1)", "1", "ee.tasker.platform.RestsTest"),
      new Guard("what is dearer for good becomes the usual", "platform/Slowdown",
          "best * Math.pow(2, (time - last) / DOUBLES_IN)", "best",
          "ee.tasker.platform.RestsTest"),
      new Guard("small submissions take turns while calls are slow", "platform/LargeWork",
          "isHeavy || submits && rests.isHeavy(namespace)", "isHeavy",
          "ee.tasker.platform.LargeWorkTest"),
      new Guard("operators wait for no turn", "platform/LargeWork",
          "isHeavy || submits && rests.isHeavy(namespace)", "isHeavy || rests.isHeavy(namespace)",
          "ee.tasker.platform.LargeWorkTest"),
      new Guard("what is refused has a turn", "rest/RequestBodies",
          "    Body body = new Body(",
          "    if (refused != null) throw refused;\n    Body body = new Body(",
          "ee.tasker.rest.RequestBodiesTest"),
      new Guard("rests add up", "platform/Rests", "Math.max(known - now, 0) + fresh - now",
          "fresh - now", "ee.tasker.platform.RestsTest"),
      new Guard("the surplus of large requests does not wait", "platform/Turns",
          "|| waiting.size(namespace) >= MOST_WAITING_OF_ONE) {", "|| false) {",
          "ee.tasker.platform.TurnsTest"),
      new Guard("a thread takes no second turn", "platform/Turns", "if (isTaken.get() != null) {",
          "if (false) {", "ee.tasker.platform.TurnsTest"),
      new Guard("namespaces take turns", "platform/RoundRobin", "        namespaces.remove();\n",
          "", "ee.tasker.task.SubmissionQueueTest"),
      new Guard("a call of submissions has a length", "task/SubmissionQueue",
          "&& bytes < mostBytes", "&& true", "ee.tasker.task.SubmissionQueueTest"),
      new Guard("a namespace that has the server for itself is not kept apart",
          "platform/SlowNamespaces", "} else if (isSlow && hasOthers(namespaces)) {",
          "} else if (isSlow) {", "ee.tasker.platform.SlowNamespacesTest"),
      new Guard("a slow machine is no slow namespace", "platform/SlowNamespaces",
          "before == 0 || each > TIMES_THE_USUAL * before", "true",
          "ee.tasker.platform.SlowNamespacesTest"),
      new Guard("what is costly by count stays apart", "platform/SlowNamespaces",
          "if (isCounted) {", "if (false) {",
          "ee.tasker.platform.SlowNamespacesTest"),
      new Guard("every second call is proof", "platform/SlowNamespaces",
          "known.proof() <= 1 ? null", "true ? null",
          "ee.tasker.platform.SlowNamespacesTest"),
      new Guard("a pause of the machine is no proof", "platform/SlowNamespaces",
          "(isCounted ? 1 : 2) * SLOW_CALL", "SLOW_CALL",
          "ee.tasker.platform.SlowNamespacesTest"),
      new Guard("a slow call claims only what follows its steps", "dispatch/ClaimProtocol",
          "takesOn && most > 0 && hint.take()", "takesOn && hint.take()",
          "ee.tasker.dispatch.ClaimProtocolTest"),
      new Guard("steps that a reply has left out are given back", "dispatch/ClaimProtocol",
          "      giveBack.accept(leftOut);\n", "",
          "ee.tasker.dispatch.ClaimProtocolTest"),
      new Guard("a stream of some tasks has no event of others", "event/EventFilter",
          "(tasks().isEmpty() || tasks().contains(move.taskUuid()))", "true",
          "ee.tasker.event.EventFilterTest"),
      new Guard("a request has a hundred violations", "platform/Violations",
          "if (count++ < Problem.MOST_VIOLATIONS) {",
          "if (count++ < Integer.MAX_VALUE) {", "ee.tasker.rest.MembersTest"),
      new Guard("a time can be read again", "platform/StorableTime",
          "!time.isBefore(FIRST) && !time.isAfter(LAST)", "true",
          "ee.tasker.rest.ParametersTest"),
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
      new Guard("a client that waits for each step is not paused", "platform/CallPace",
          " && tasks >= calls * BUSY_TASKS_PER_CALL", "",
          "ee.tasker.platform.CallPaceTest"),
      new Guard("tasks too few to be gathered are not waited for", "platform/CallPace",
          "tasks * distance >= WORTH_WAITING_FOR * (double) elapsed && ", "",
          "ee.tasker.platform.CallPaceTest"),
      new Guard("no call waits longer than the bound", "platform/CallPace",
          "Math.min(LONGEST.toNanos(), usualNanos * DURATIONS_APART)",
          "usualNanos * DURATIONS_APART",
          "ee.tasker.platform.CallPaceTest"),
      new Guard("a handler that returns is already known as overrun", "dispatch/RunningStep",
          "      beforeInterrupt.run();\n      running.interrupt();", "      running.interrupt();",
          "ee.tasker.dispatch.RunningStepTest"),
      new Guard("a standby is no fresher than what it has replayed", "platform/ReplayLag",
          " && noted.position.bytes() <= standby.bytes()", "", "ee.tasker.platform.ReplayLagTest"),
      new Guard("a standby that cannot follow the primary is not fresh", "platform/ReplayLag",
          "noted.position.timeline() == standby.timeline() && ", "",
          "ee.tasker.platform.ReplayLagTest"),
      new Guard("the thread that keeps the time runs no task", "platform/ThreadPool",
          "      return super.schedule(() -> {\n        startQuietly(started);\n      }, delay, unit);",
          "      return super.schedule(started, delay, unit);",
          "ee.tasker.platform.ThreadPoolTest"),
      new Guard("a task that blocks keeps no other waiting", "platform/ThreadPool",
          "return tryTransfer(task);",
          "return super.offer(task);", "ee.tasker.platform.ThreadPoolTest"),
      new Guard("a webhook calls no address that is not allowed", "webhook/WebhookSender",
          "if (!rules.isAllowed(address)) {",
          "if (false) {",
          "ee.tasker.webhook.WebhookSenderTest"),
      new Guard("a call of a webhook ends in its time", "webhook/WebhookSender",
          "begin + TimeUnit.SECONDS.toNanos(delivery.timeoutSeconds())",
          "begin + TimeUnit.SECONDS.toNanos(20)",
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
      new Guard("a body has a length", "rest/RequestBodies", "if (bytes.length > limit) {",
          "if (bytes.length < 0) {",
          "ee.tasker.rest.RequestBodiesTest"),
      new Guard("a body has its time", "rest/TimedBody", "if (isLate() && !hasAll()) {",
          "if (false) {", "ee.tasker.rest.TimedBodyTest"),
      new Guard("a silent body has its time", "rest/TimedBody", "reader.interrupt();",
          "reader.isInterrupted();",
          "ee.tasker.rest.TimedBodyTest"),
      new Guard("a number has an end", "rest/JsonShape", "if (++end - from > LONGEST_NUMBER ||",
          "if (++end - from > 100_000_000 ||",
          "ee.tasker.rest.RequestBodiesTest"),
      new Guard("a body has a depth", "rest/JsonShape", "if (++depth > DEEPEST) {",
          "if (++depth > 1_000_000) {",
          "ee.tasker.rest.RequestBodiesTest"),
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
      new Guard("a full disk is full until a write was possible", "platform/DatabaseUsability",
          "    if (isWriteDue()) {\n      diskFullAt = null;",
          "    if (diskFullAt != null) {\n      diskFullAt = null;",
          "ee.tasker.platform.DatabaseUsabilityTest"),
      new Guard("a body has one end", "rest/Framing",
          "return lengths.isEmpty() && codings.size() == 1 && ",
          "return codings.size() == 1 && ",
          "ee.tasker.rest.FramingTest"),
      new Guard("a body has one length", "rest/Framing",
          "return new HashSet<>(lengths).size() <= 1;", "return true;",
          "ee.tasker.rest.FramingTest"),
      new Guard("a step that arrives is no orphan", "dispatch/ClaimProtocol",
          "    running.arriving(keys);",
          "    running.arriving(List.of());",
          "ee.tasker.dispatch.ClaimProtocolTest"));

  @TempDir
  Path folder;

  static void findAll() {
    GUARDS.forEach(JavaGuardMutations::read);
  }

  private static String read(Guard guard) {
    try {
      String source = Files
          .readString(Path.of("src", "main", "java", "ee", "tasker", guard.file() + ".java"));
      return SourceText.replace("the guard \"" + guard.what() + "\" in " + guard.file(), source,
          guard.text(), guard.by());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
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
    for (String test : GUARDS.stream().map(Guard::test).distinct().toList()) {
      assertThat(noticed(test, classPath())).as(test).isEmpty();
    }
  }

  @TestFactory
  Stream<DynamicTest> each_guard_is_missed_by_a_test() {
    String only = System.getProperty("mutations.only", "");
    return GUARDS.stream().filter(guard -> guard.what().matches(".*(" + only + ").*"))
        .map(guard -> DynamicTest.dynamicTest(guard.what(), () -> {
          Path source = Files.writeString(
              folder.resolve(guard.file().replaceAll(".*/", "") + ".java"), read(guard));
          Path classes = Files.createDirectories(folder.resolve("classes" + GUARDS.indexOf(guard)));
          JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
          assertThat(compiler.run(null, null, null, "-proc:none", "-parameters", "-nowarn", "-cp",
              classPath(), "-d", classes.toString(),
              source.toString())).as("compiles without: " + guard.what()).isZero();

          assertThat(noticed(guard.test(), classes + File.pathSeparator + classPath()))
              .as("what noticed that this is gone: " + guard.what()).isNotEmpty();
        }));
  }

  /** Runs test classes and ends with {@value #RED} when one of their tests was red. */
  static final class Run {
    static final int RED = 3;

    private Run() {
    }

    public static void main(String[] classes) {
      SummaryGeneratingListener summary = new SummaryGeneratingListener();
      LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
          .selectors(Arrays.stream(classes).map(DiscoverySelectors::selectClass).toList()).build();
      LauncherFactory.create().execute(request, summary);
      summary.getSummary().getFailures()
          .forEach(failure -> System.out.println(
              failure.getTestIdentifier().getDisplayName() + ": " + failure.getException()));
      System.exit(summary.getSummary().getTestsFoundCount() == 0 ? 2
          : summary.getSummary().getTotalFailureCount() > 0 ? RED : 0);
    }
  }
}
