package ee.tasker.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ee.tasker.platform.Recheck.Outcome;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class RecheckTest {
  private final AtomicLong now = new AtomicLong();
  private final AtomicReference<Supplier<Outcome<String>>> answer = new AtomicReference<>(
      () -> new Outcome.Permitted<>("all"));
  private final Recheck<String> recheck = new Recheck<>(() -> answer.get().get(), now::get);

  private Outcome<String> after(int seconds, Outcome<String> outcome) {
    answer.set(() -> outcome);
    now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    return recheck.now();
  }

  @Test
  void what_is_permitted_or_withdrawn_counts_at_once() {
    Outcome<String> withdrawn = new Outcome.Withdrawn<>(
        Problem.of(401, "not-authenticated", "revoked"));

    assertThat(recheck.now()).isEqualTo(new Outcome.Permitted<>("all"));
    assertThat(after(5, withdrawn)).isEqualTo(withdrawn);
  }

  @Test
  void a_check_that_is_put_off_for_too_long_withdraws_the_permission() {
    assertThat(after(5, new Outcome.PutOff<>())).isInstanceOf(Outcome.PutOff.class);
    assertThat(after(59, new Outcome.PutOff<>())).isInstanceOf(Outcome.PutOff.class);
    assertThat(after(1, new Outcome.PutOff<>())).isInstanceOf(Outcome.Withdrawn.class);
  }

  @Test
  void a_check_in_between_begins_the_time_anew() {
    after(5, new Outcome.PutOff<>());
    assertThat(after(59, new Outcome.Permitted<>("some")))
        .isEqualTo(new Outcome.Permitted<>("some"));
    assertThat(after(59, new Outcome.PutOff<>())).isInstanceOf(Outcome.PutOff.class);
    assertThat(after(59, new Outcome.PutOff<>())).isInstanceOf(Outcome.PutOff.class);
  }

  @Test
  void a_check_that_fails_says_nothing() {
    answer.set(() -> {
      throw new IllegalStateException("away");
    });
    assertThatThrownBy(recheck::now).hasMessage("away");
  }
}
