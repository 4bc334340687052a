package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallerTest {
  private static Caller named(String name, String namespace) {
    return new Caller(Caller.Kind.TOKEN, name, null,
        Grants.of(List.of(new Grants.Grant("tasks:read", namespace))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ann", "https://issuer.example/users/日本", "\uD83D\uDE80", "a\nb"})
  void a_name_that_histories_can_keep_is_recordable(String name) {
    assertThat(named(name, "orders").isRecordable()).isTrue();
    assertThat(named(name, null).isRecordable()).isTrue();
    assertThat(named("n".repeat(128), null).isRecordable()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"an\0n", "\0", "\uD83D", "ann\uDE80"})
  void what_the_database_cannot_store_is_neither_name_nor_namespace(String text) {
    assertThat(named(text, null).isRecordable()).isFalse();
    assertThat(named("ann", text).isRecordable()).isFalse();
  }

  @Test
  void a_name_says_something_and_has_an_end() {
    assertThat(named("", null).isRecordable()).isFalse();
    assertThat(named(" \t", null).isRecordable()).isFalse();
    assertThat(named("n".repeat(129), null).isRecordable()).isFalse();
  }
}
