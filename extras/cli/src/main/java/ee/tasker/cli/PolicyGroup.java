package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.BODY;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about concurrency policies. */
final class PolicyGroup {
  private PolicyGroup() {}

  static List<Command> commands() {
    String[] columns = {"POLICY=policy_uuid", "NAMESPACE=namespace", "NAME=name", "STEP=step",
      "COUNTS=counts", "KEY=key", "LIMIT=limit",
      "HOLDING=holding",
      "WAITING=waiting", "+WHEN FULL=when_full", "+TEMPLATE'S=template_limit", "+SET=set_limit",
      "+BY=set_by"};
    return List.of(
        Command.of("list", "Lists the policies.").calls(Operation.LIST_CONCURRENCY_POLICIES)
            .with(Arg.query("namespace", "NAMESPACE", "Of this namespace.").alias("-n"),
                Arg.query("name", "NAME", "Of this template."),
                Arg.query("entries", "N",
                    "How many holders and waiters of each policy; in JSON and YAML.").integer())
            .shows(View.rows("policies", columns))
            .example("tasker policy list --namespace payments"),
        Command.of("limit", "Changes the limit of a policy, for all versions of the template.")
            .calls(Operation.SET_CONCURRENCY_LIMIT)
            .with(Arg.path("policy_uuid", "POLICY", "The UUID of the policy."),
                Arg.local("limit", "N",
                    "How many may hold a slot, 0 for none; or default, for the template's.")
                    .positional()
                    .covers("limit"),
                Arg.reason(BODY), Arg.actor(BODY, "requested_by"))
            .runs(General::limit)
            .shows(View.details("policy=policy_uuid", "namespace", "name", "limit",
                "template's=template_limit", "set=set_limit", "holding",
                "waiting"))
            .example(
                "tasker policy limit 01a1fc6e-0002-7000-8000-000000000002 0 -m \"the bank is down\"")
            .example(
                "tasker policy limit 01a1fc6e-0002-7000-8000-000000000002 default -m \"it is back\""));
  }
}
