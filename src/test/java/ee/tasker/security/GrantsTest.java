package ee.tasker.security;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.security.Grants.Grant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GrantsTest {

  private static Grants of(Grant... grants) {
    return Grants.of(List.of(grants));
  }

  @Test
  void nothing_granted_is_nothing_allowed() {
    assertThat(Permission.values()).noneMatch(Grants.NONE::may);
    assertThat(Grants.NONE.namespaces(Permission.TASKS_READ)).contains(Set.of());
  }

  @Test
  void a_permission_in_a_namespace_is_one_there_and_nowhere_else() {
    Grants grants = of(new Grant("tasks:read", "orders"), new Grant("tasks:read", "refunds"));

    assertThat(grants.may(Permission.TASKS_READ)).isTrue();
    assertThat(grants.may(Permission.TASKS_READ, "orders")).isTrue();
    assertThat(grants.may(Permission.TASKS_READ, "order")).isFalse();
    assertThat(grants.mayEverywhere(Permission.TASKS_READ)).isFalse();
    assertThat(grants.namespaces(Permission.TASKS_READ)).contains(Set.of("orders", "refunds"));
    assertThat(grants.may(Permission.TASKS_CREATE)).isFalse();
  }

  @Test
  void a_wildcard_means_all_of_its_resource_and_no_other() {
    Grants grants = of(new Grant("tasks:*", null), new Grant("steps:*", "orders"));

    assertThat(Permission.values()).allSatisfy(
        permission -> assertThat(grants.mayEverywhere(permission)).as(permission.text())
            .isEqualTo(permission.text().startsWith("tasks:")));
    assertThat(grants.may(Permission.STEPS_RESOLVE, "orders")).isTrue();
    assertThat(Permission.values()).allMatch(of(new Grant("*:*", null))::mayEverywhere);
    assertThat(Permission.values()).noneMatch(
        of(new Grant("*", null), new Grant("task:*", null), new Grant("tasks:", null))::may);
  }

  @Test
  void two_permissions_are_allowed_together_where_each_of_them_is() {
    Grant everywhere = new Grant("tasks:list", null);
    Grant orders = new Grant("tasks:context_read", "orders");

    assertThat(of(everywhere, orders)
        .namespaces(List.of(Permission.TASKS_LIST, Permission.TASKS_CONTEXT_READ)))
        .contains(Set.of("orders"));
    assertThat(of(everywhere, orders)
        .namespaces(List.of(Permission.TASKS_CONTEXT_READ, Permission.TASKS_LIST)))
        .contains(Set.of("orders"));
    assertThat(
        of(everywhere, new Grant("tasks:context_read", null))
            .namespaces(List.of(Permission.TASKS_LIST, Permission.TASKS_CONTEXT_READ)))
        .isEmpty();
    assertThat(
        of(everywhere).namespaces(List.of(Permission.TASKS_LIST, Permission.TASKS_CONTEXT_READ)))
        .contains(Set.of());
    assertThat(of(new Grant("tasks:list", "refunds"), orders)
        .namespaces(List.of(Permission.TASKS_LIST, Permission.TASKS_CONTEXT_READ)))
        .contains(Set.of());
    assertThat(of(new Grant("tasks:list", "refunds"), new Grant("tasks:list", "orders"), orders)
        .namespaces(List.of(Permission.TASKS_LIST, Permission.TASKS_CONTEXT_READ)))
        .contains(Set.of("orders"));
  }

  @Test
  void everywhere_wins_over_somewhere() {
    Grants grants = of(new Grant("tasks:read", "orders"), new Grant("tasks:read", null));

    assertThat(grants.namespaces(Permission.TASKS_READ)).isEmpty();
    assertThat(grants.texts()).containsExactly("tasks:read");
  }
}
