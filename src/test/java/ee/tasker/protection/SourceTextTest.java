package ee.tasker.protection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SourceTextTest {
  @Test
  void a_piece_is_found_in_another_layout() {
    assertThat(SourceText.replace("guard", "if (a\n    and b) then\n  c;", "a and b", "true"))
        .isEqualToIgnoringWhitespace("if (true) then c;");
  }

  @Test
  void a_piece_that_is_missing_or_ambiguous_is_refused() {
    assertThatThrownBy(() -> SourceText.replace("guard", "a or b", "a and b", ""))
        .isInstanceOf(AssertionError.class).hasMessageContaining("guard")
        .hasMessageContaining("missing");
    assertThatThrownBy(() -> SourceText.replace("guard", "a and b; a  and b", "a and b", ""))
        .isInstanceOf(AssertionError.class).hasMessageContaining("ambiguous");
  }
}
