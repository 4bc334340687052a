package ee.tasker.event;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.platform.Problem;
import ee.tasker.platform.Recheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class EventStreamTest {
  private final List<Runnable> executed = new ArrayList<>();
  private final Executor executor = executed::add;
  private final List<Event> sent = new ArrayList<>();
  private final List<String> calls = new ArrayList<>();
  private CompletionStage<?> outcome = CompletableFuture.completedFuture(null);

  private final EventSink sink = new EventSink() {
    @Override
    public CompletionStage<?> send(Event event) {
      sent.add(event);
      return outcome;
    }

    @Override
    public void close() {
      calls.add("close");
    }
  };

  private Recheck.Outcome<String> permission = new Recheck.Outcome.Permitted<>("all");
  private final EventStream stream = new EventStream(new EventFilter(Optional.empty(), Map.of()),
      new Recheck<>(() -> permission), Position.at(1), sink, 10, executor,
      () -> calls.add("drained"), () -> calls.add("ended"));

  @Test
  void response_begins_on_the_thread_of_the_request() {
    stream.begin();

    assertThat(executed).isEmpty();
    assertThat(sent).containsExactly(Event.signOfLife());
    assertThat(calls).containsExactly("drained");
  }

  @Test
  void stream_ends_when_its_caller_has_lost_the_right_to_it_and_not_before() {
    stream.begin();
    stream.recheck();
    permission = new Recheck.Outcome.PutOff<>();
    stream.recheck();
    assertThat(stream.isEnded()).isFalse();

    permission = new Recheck.Outcome.Withdrawn<>(Problem.of(401, "not-authenticated", "revoked"));
    stream.recheck();

    assertThat(stream.isEnded()).isTrue();
    assertThat(calls).contains("ended");
  }

  @Test
  void nothing_is_sent_before_the_response_has_begun_completely() {
    CompletableFuture<Object> later = new CompletableFuture<>();
    outcome = later;
    stream.begin();
    stream.goLive();

    assertThat(sent).hasSize(1);
    assertThat(calls).isEmpty();

    outcome = CompletableFuture.completedFuture(null);
    later.complete(null);
    executed.remove(0).run();
    assertThat(sent).containsExactly(Event.signOfLife(), Event.alive(1));
    assertThat(calls).containsExactly("drained");
  }

  @Test
  void stream_whose_response_cannot_begin_ends_once() {
    outcome = CompletableFuture.failedFuture(new IllegalArgumentException("no response"));

    stream.begin();
    stream.goLive();

    assertThat(sent).hasSize(1);
    assertThat(calls).containsExactly("ended");
    executed.forEach(Runnable::run);
    assertThat(calls).containsExactly("ended", "close");
  }
}
