package ee.tasker.testing.server;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.ServerKind;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ServerFactsTest {
  private static final Map<String, String> FLAGS = Map.of(
      "deploys.while-running", "another version of the application, and others beside it",
      "deploys.ear", "an application in an EAR",
      "isolation.of-descriptor", "asks the database for the level that a descriptor names",
      "get.body-refused", "a GET or DELETE with a body: 400 and nothing more",
      "slow.chunks-kept", "throws chunks away after its answer, for as long as they come",
      "slow.headers-cut", "ends a request whose headers trickle",
      "path.malformed-empty", "answers a malformed path by 200 and nothing",
      "path.hidden-redirected",
      "sends /WEB-INF to itself with a slash, at the Host of the request");
  private static final Map<String, String> TEXTS = Map.of(
      "replica.data-source", "the name of the data source of the standby",
      "topic.connection-factory", "of its own broker; empty without one",
      "topic.name", "on that",
      "path.malformed-sentence", "its own about a malformed path, which no setting changes",
      "path.hidden-page", "its own about /WEB-INF",
      "body.end-ignored", "headers by which the end of a body is ambiguous and which it reads",
      "giveaways", "words that no answer may have, in lower case",
      "packages", "of its classes, which the product uses none of");
  private static final Map<String, String> NUMBERS = Map.of(
      "post.unknown-page", "the status of a POST to a path that is not there",
      "slow.cut-within-seconds", "until a body that trickles is cut off");

  @ParameterizedTest
  @EnumSource
  void each_server_has_every_fact_and_no_other(ServerKind kind) {
    ServerFacts facts = ServerFacts.of(kind);

    assertThat(facts.keys()).hasSize(FLAGS.size() + TEXTS.size() + NUMBERS.size());
    assertThat(FLAGS).allSatisfy((key, meaning) -> assertThat(facts.is(key)).isIn(true, false));
    assertThat(TEXTS).allSatisfy((key, meaning) -> assertThat(facts.text(key)).isNotNull());
    assertThat(NUMBERS).allSatisfy((key, meaning) -> assertThat(facts.number(key)).isPositive());
    assertThat(facts.list("giveaways")).isNotEmpty().allMatch(word -> word.length() > 3);
    assertThat(facts.list("packages")).isNotEmpty();
    assertThat(facts.has("topic.name")).isEqualTo(facts.has("topic.connection-factory"));
  }
}
