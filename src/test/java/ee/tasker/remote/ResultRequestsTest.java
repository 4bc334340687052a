package ee.tasker.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.engine.reply.WorkerResultsReply;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.Json;
import jakarta.json.JsonValue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Results of several workers that arrive together, with a database that the test plays. */
class ResultRequestsTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final List<List<Integer>> calls = Collections.synchronizedList(new ArrayList<>());
  private final ResultRequests requests = new ResultRequests();
  private Function<ResultRequest, WorkerResultsReply> alone = ResultRequestsTest::accepted;
  private Function<ResultRequest, WorkerResultsReply> together = ResultRequestsTest::accepted;

  @BeforeEach
  void connect() {
    requests.connect(threads, timers, 1, request -> {
      calls.add(List.of(number(request)));
      if (number(request) == 0) {
        begun.countDown();
        await(released);
      }
      return alone.apply(request);
    }, all -> {
      calls.add(all.stream().map(ResultRequestsTest::number).toList());
      return all.stream().map(together).toList();
    });
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    timers.shutdownNow();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int number(ResultRequest request) {
    return (int) request.worker().getLeastSignificantBits();
  }

  private static WorkerResultsReply accepted(ResultRequest request) {
    return new WorkerResultsReply(false, false, "worker " + number(request),
        JsonValue.EMPTY_JSON_ARRAY, List.of(), JsonValue.EMPTY_JSON_ARRAY, false, List.of(),
        Optional.empty());
  }

  private static WorkerResultsReply refused() {
    return new WorkerResultsReply(true, false, "", JsonValue.EMPTY_JSON_ARRAY, List.of(),
        JsonValue.EMPTY_JSON_ARRAY, false, List.of(), Optional.empty());
  }

  private CompletableFuture<String> submit(int worker, int results) {
    var array = Json.createArrayBuilder();
    for (int i = 0; i < results; i++) {
      array.add(i);
    }
    ResultRequest request = new ResultRequest(new UUID(0, worker), "user:ann", array.build(),
        JsonValue.NULL);
    return CompletableFuture.supplyAsync(() -> requests.submit(request).state(), threads);
  }

  /** Workers 1 to 3 submit while the call of worker 0 is under way. */
  private List<CompletableFuture<String>> submitDuringACall() {
    CompletableFuture<String> first = submit(0, 1);
    await(begun);
    List<CompletableFuture<String>> answers = new ArrayList<>(List.of(first));
    for (int worker = 1; worker <= 3; worker++) {
      answers.add(submit(worker, 1));
      int expected = worker;
      TaskerClient.until("it waits", Duration.ofSeconds(30), () -> requests.count() == expected);
    }
    released.countDown();
    return answers;
  }

  private static String get(CompletableFuture<String> answer) throws Exception {
    return answer.get(30, TimeUnit.SECONDS);
  }

  @Test
  void requests_that_arrive_during_a_call_go_together_in_the_next_and_each_has_its_own_answer()
      throws Exception {
    List<CompletableFuture<String>> answers = submitDuringACall();

    for (int worker = 0; worker <= 3; worker++) {
      assertThat(get(answers.get(worker))).isEqualTo("worker " + worker);
    }
    assertThat(calls).containsExactly(List.of(0), List.of(1, 2, 3));
  }

  @Test
  void a_request_with_many_results_does_not_wait_for_the_call_that_is_under_way() throws Exception {
    CompletableFuture<String> first = submit(0, 1);
    await(begun);

    assertThat(get(submit(1, 10))).isEqualTo("worker 1");
    assertThat(first).isNotDone();
    released.countDown();
    assertThat(get(first)).isEqualTo("worker 0");
    assertThat(calls).containsExactly(List.of(0), List.of(1));
  }

  @Test
  void a_worker_that_sends_many_requests_does_not_hold_up_another() throws Exception {
    CompletableFuture<String> first = submit(0, 1);
    await(begun);
    List<CompletableFuture<String>> answers = new ArrayList<>(List.of(first));
    int[] workers = {1, 1, 1, 1, 2};
    for (int n = 0; n < workers.length; n++) {
      answers.add(submit(workers[n], 5));
      int expected = n + 1;
      TaskerClient.until("it waits", Duration.ofSeconds(30), () -> requests.count() == expected);
    }
    released.countDown();

    for (CompletableFuture<String> answer : answers) {
      get(answer);
    }
    assertThat(calls).containsExactly(List.of(0), List.of(1, 2, 1, 1, 1));
  }

  @Test
  void what_the_database_refuses_of_one_is_tried_alone_and_does_not_hurt_the_others()
      throws Exception {
    together = request -> number(request) == 2 ? refused() : accepted(request);
    alone = request -> {
      if (number(request) == 2) {
        throw new IllegalArgumentException("not storable");
      }
      return accepted(request);
    };
    List<CompletableFuture<String>> answers = submitDuringACall();

    assertThat(get(answers.get(1))).isEqualTo("worker 1");
    assertThatThrownBy(() -> get(answers.get(2))).hasRootCauseMessage("not storable");
    assertThat(get(answers.get(3))).isEqualTo("worker 3");
    assertThat(calls).containsExactly(List.of(0), List.of(1, 2, 3), List.of(2));
  }

  @Test
  void a_call_that_the_database_refuses_as_a_whole_is_made_for_each_alone() throws Exception {
    together = request -> {
      throw new IllegalStateException(new SQLException("deadlock detected", "40P01"));
    };
    List<CompletableFuture<String>> answers = submitDuringACall();

    for (CompletableFuture<String> answer : answers) {
      get(answer);
    }
    assertThat(calls).containsExactly(List.of(0), List.of(1, 2, 3), List.of(1), List.of(2),
        List.of(3));
  }

  @Test
  void after_a_lost_connection_each_is_told_and_none_is_submitted_again_here() throws Exception {
    together = request -> {
      throw new IllegalStateException("lost", new SQLException("terminated", "57P01"));
    };
    List<CompletableFuture<String>> answers = submitDuringACall();

    for (int worker = 1; worker <= 3; worker++) {
      CompletableFuture<String> answer = answers.get(worker);
      assertThatThrownBy(() -> get(answer)).hasRootCauseMessage("terminated");
    }
    assertThat(calls).containsExactly(List.of(0), List.of(1, 2, 3));
  }
}
