package ee.tasker.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FramingTest {
  @Test
  void a_body_ends_with_its_length_or_with_its_last_chunk() {
    assertThat(Framing.isClear(List.of(), List.of())).isTrue();
    assertThat(Framing.isClear(List.of(), List.of("4"))).isTrue();
    assertThat(Framing.isClear(List.of(), List.of("4", "4"))).isTrue();
    assertThat(Framing.isClear(List.of("chunked"), List.of())).isTrue();
    assertThat(Framing.isClear(List.of(" Chunked "), List.of())).isTrue();
  }

  @Test
  void what_two_servers_may_read_differently_is_not_clear() {
    for (String coding : List.of("xchunked", "chunked, identity", "gzip, chunked", "identity", "",
        "chunked;q=1", "\u000bchunked",
        "chunked\u00a0")) {
      assertThat(Framing.isClear(List.of(coding), List.of())).as(coding).isFalse();
    }
    assertThat(Framing.isClear(List.of("chunked", "chunked"), List.of())).isFalse();
    assertThat(Framing.isClear(List.of("chunked"), List.of("4"))).isFalse();
    assertThat(Framing.isClear(List.of(), List.of("4", "5"))).isFalse();
  }
}
