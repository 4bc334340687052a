package ee.tasker.cli;

import static ee.tasker.cli.Arg.Place.QUERY;

import ee.tasker.client.Operation;
import java.util.List;

/** The commands about approvals. */
final class ApprovalGroup {
  private static final View APPROVAL = View.details("outcome", "approval=approval.approval_uuid",
      "title=approval.title",
      "state=approval.state",
      "claimed by=approval.claimed_by", "decided by=approval.decided_by");

  private ApprovalGroup() {}

  static List<Command> commands() {
    return List.of(
        Command.of("list", "Lists the approvals that you may see: open ones by their due times.")
            .calls(Operation.LIST_APPROVALS)
            .with(Arg.query("state", "STATE",
                "One or several of open (the default), approved, rejected, expired, cancelled."),
                Arg.query("namespace", "NAMESPACE", "In this namespace.").alias("-n"),
                Arg.flag(QUERY, "mine", "Only what you have claimed or may claim."),
                Arg.query("claimed_by", "USER", "Claimed by this user."),
                Arg.query("due_before", "TIME", "Due before this time."),
                Arg.query("task_uuid", "TASK", "Of this task.").named("--task").uuid(),
                Arg.query("title", "TEXT", "With this text in the title."))
            .pages("approvals", 500)
            .shows(View.rows("approvals", "APPROVAL=approval_uuid", "TITLE=title", "STATE=state",
                "DUE=due_at", "CLAIMED BY=claimed_by",
                "NAMESPACE=namespace", "+TASK=task_uuid", "+STEP=step", "+DECIDED BY=decided_by",
                "+ENDED=ended_at"))
            .example("tasker approval list --mine")
            .example("tasker approval list --state approved,rejected -n loans"),
        Command.of("show", "Shows an approval: what it asks, its form and what has happened.")
            .calls(Operation.GET_APPROVAL)
            .with(approval())
            .shows(View
                .details("approval=approval_uuid", "title", "description", "state",
                    "task=task_uuid", "step", "namespace", "template=name",
                    "due=due_at", "escalated=escalated_at", "candidates", "four eyes=four_eyes",
                    "claimed by=claimed_by",
                    "decided by=decided_by",
                    "you may=may", "shown", "form", "values", "comment")
                .and("events", "Events", "AT=at", "EVENT=event", "BY=by", "TO=to",
                    "NOTE=note"))
            .example("tasker approval show 01a208b3-1bed-792a-b64e-3ea06dd7e1b3"),
        Command.of("claim", "Claims an approval, so that no other candidate decides it.")
            .calls(Operation.CLAIM_APPROVAL).with(approval())
            .shows(APPROVAL).example("tasker approval claim 01a208b3-1bed-792a-b64e-3ea06dd7e1b3"),
        Command.of("unclaim", "Gives a claimed approval back to all candidates.")
            .calls(Operation.UNCLAIM_APPROVAL).with(approval())
            .shows(APPROVAL)
            .example("tasker approval unclaim 01a208b3-1bed-792a-b64e-3ea06dd7e1b3"),
        Command.of("delegate", "Gives an approval to another user.")
            .calls(Operation.DELEGATE_APPROVAL)
            .with(approval(), Arg.body("to", "USER", "Who is to decide.").required(),
                Arg.body("note", "TEXT", "Why."))
            .shows(APPROVAL).example(
                "tasker approval delegate 01a208b3-1bed-792a-b64e-3ea06dd7e1b3 --to bob --note \"on leave\""),
        Command.of("approve", "Approves.").calls(Operation.DECIDE_APPROVAL)
            .constant("approved", true)
            .with(approval(), values(), comment()).shows(APPROVAL)
            .example(
                "tasker approval approve 01a208b3-1bed-792a-b64e-3ea06dd7e1b3 --values '{\"limit\": 5000}'"),
        Command.of("reject", "Rejects.").calls(Operation.DECIDE_APPROVAL)
            .constant("approved", false)
            .with(approval(), values(), comment()).shows(APPROVAL)
            .example(
                "tasker approval reject 01a208b3-1bed-792a-b64e-3ea06dd7e1b3 --comment \"no collateral\""));
  }

  private static Arg approval() {
    return Arg.path("approval_uuid", "APPROVAL", "The UUID of the approval.").uuid();
  }

  private static Arg values() {
    return Arg.body("values", "JSON", "The values of the form: JSON, @file or -.").json();
  }

  private static Arg comment() {
    return Arg.body("comment", "TEXT", "Why.");
  }
}
