package ee.tasker.cli.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JuelTest {

  @ParameterizedTest
  @CsvSource(delimiterString = " => ", quoteCharacter = '~', value = {
    "${amount > 100} => $.context.amount > 100",
    "#{amount ge 1.50} => $.context.amount >= 1.50",
    "${kind == 'gold'} => $.context.kind == \"gold\"",
    "${kind != \"say \\\"hi\\\"\"} => $.context.kind != \"say \\\"hi\\\"\"",
    "${kind.equals('gold')} => $.context.kind == \"gold\"",
    "${approved} => $.context.approved == true",
    "${!approved} => !($.context.approved == true)",
    "${not approved and amount lt 5} => !($.context.approved == true) && $.context.amount < 5",
    "${(a || b) && c} => ($.context.a == true || $.context.b == true) && $.context.c == true",
    "${a || b && c} => $.context.a == true || $.context.b == true && $.context.c == true",
    "${order.lines[0].price * 2 + 1 <= limit} => $.context.order.lines[0].price * 2 + 1 <= $.context.limit",
    "${(a + b) * 3 > 4} => ($.context.a + $.context.b) * 3 > 4",
    "${order['ship to'] == 'DE'} => $.context.order.\"ship to\" == \"DE\"",
    "${x == null} => !(exists($.context.x)) || $.context.x == null",
    "${null != x} => exists($.context.x) && $.context.x != null",
    "${empty x} => !(exists($.context.x[*])) || $.context.x == null || $.context.x == \"\"",
    "${true} => 1 == 1", "${-amount < -5} => -$.context.amount < -5"})
  void comparison_is_a_path(String expression, String path) {
    assertThat(Juel.predicate(expression, name -> "$.context." + name)).isEqualTo(path);
  }

  @ParameterizedTest
  @CsvSource(delimiterString = " => ", quoteCharacter = '~', value = {
    "${bean.isLarge(order)} => calls isLarge(…), which is Java",
    "${execution.processBusinessKey == 'x'} => uses \"execution\" of the engine",
    "${now() > due} => calls now(…), which is Java",
    "${S(x).prop('y')} => calls S(…), which is Java",
    "${a ? b : c} => chooses with \"?\"", "${a > 1 == true} => compares the result of a comparison",
    "${a < b < c} => compares the result of a comparison", "${'x' + a > 1} => computes with \"x\"",
    "${5} => 5 is neither true nor false", "${a > null} => compares null with >",
    "a > 5 => is not one expression",
    "${a} and ${b} => is not one expression", "${a > } => ends too early",
    "${(a} => no closing parenthesis",
    "${a ~~ b} => a character that is not understood: ~"})
  void what_is_java_is_refused_with_the_reason(String expression, String reason) {
    assertThatThrownBy(() -> Juel.predicate(expression, name -> "$.context." + name))
        .isInstanceOf(Juel.UnknownException.class).hasMessageContaining(reason);
  }

  @Test
  void depth_and_length_are_bounded() {
    for (String text : new String[]{"${" + "(".repeat(900) + "a" + ")".repeat(900) + "}",
      "${" + "!".repeat(1_500) + "a}", "${" + "a && ".repeat(1_000) + "a}"}) {
      assertThatThrownBy(() -> Juel.predicate(text, name -> name))
          .isInstanceOf(Juel.UnknownException.class);
    }
  }
}
