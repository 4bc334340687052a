package ee.tasker.orchestration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchSizeTest {
  private final BatchSize size = new BatchSize(200);

  @Test
  void it_shrinks_to_the_one_that_it_is_and_grows_again() {
    assertThat(size.get()).isEqualTo(200);
    assertThat(size.wasGivenUp()).isFalse();
    assertThat(size.get()).isEqualTo(25);
    assertThat(size.wasGivenUp()).isFalse();
    assertThat(size.wasGivenUp()).isFalse();
    assertThat(size.get()).isEqualTo(1);
    assertThat(size.wasGivenUp()).isTrue();
    assertThat(size.get()).isEqualTo(1);

    for (int most : new int[]{2, 4, 8, 16, 32, 64, 128, 200, 200}) {
      size.wentWell();
      assertThat(size.get()).isEqualTo(most);
    }
  }
}
