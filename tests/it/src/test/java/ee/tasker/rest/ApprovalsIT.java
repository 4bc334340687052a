package ee.tasker.rest;

import static org.assertj.core.api.Assertions.assertThat;

import ee.tasker.run.Login;
import ee.tasker.testing.server.AgainstServer;
import ee.tasker.testing.server.Answer;
import ee.tasker.testing.server.TaskerClient;
import jakarta.json.JsonObject;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Approvals over HTTP with three users: who submits, a clerk who decides, and a lead who assigns.
 */
@AgainstServer
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ApprovalsIT {
  private static final String SECRET = "a secret of the applicant";
  private final TaskerClient admin;
  private final String suffix = UUID.randomUUID().toString().substring(0, 8);
  private final String clerkName = "clerk_" + suffix;
  private final String leadName = "lead_" + suffix;
  private final String samName = "sam_" + suffix;
  private TaskerClient clerk;
  private TaskerClient lead;
  private TaskerClient sam;

  ApprovalsIT(TaskerClient admin) {
    this.admin = admin;
  }

  @BeforeAll
  void people() {
    admin.register("/testing/templates.yaml");
    assertThat(admin.postTemplate("""
        name: loan
        namespace_name: loans
        version: 1.0.0
        identity_strategy: always_unique
        steps:
          - name: review
            approval:
              title: ["Loan of ", $.context.amount, " for ", $.context.applicant]
              show: {amount: $.context.amount}
              form:
                type: object
                required: [limit]
                properties: {limit: {type: integer, maximum: 10000}}
              candidates: {roles: [approver], users: [$.context.also]}
              due: P2D
              four_eyes: true
          - {name: pay, dependencies: [review], handler: {callable: testing.Echo}}
        """).status()).isIn(200, 201);
    String in = ", 'namespace': 'loans'}";
    clerk = user(clerkName, "{'role': 'approver'" + in);
    lead = user(leadName, "{'permission': 'approvals:*'" + in);
    sam = user(samName,
        "{'role': 'submitter'" + in + ", {'permission': 'approvals:read'" + in
            + ", {'permission': 'approvals:decide'" + in);
  }

  private TaskerClient user(String name, String grants) {
    Answer made = admin.post("/v1/access/users",
        TaskerClient.quoted("{'name': '" + name + "', 'grants': [" + grants + "]}"));
    assertThat(made.status()).as("%s", made).isEqualTo(201);
    return admin.with(Map.of("Authorization", new Login(name, made.text("password")).basic()));
  }

  private UUID submit(String also) {
    return sam.submit("loans", "loan",
        TaskerClient.quoted("{'amount': 5000, 'applicant': '" + SECRET + "', 'text': 'x', 'also': '"
            + also + "'}"));
  }

  private String approval(UUID task) {
    return lead.get("/v1/approvals?task_uuid=" + task).object().getJsonArray("approvals")
        .getJsonObject(0).getString("approval_uuid");
  }

  private static Answer act(TaskerClient caller, String approval, String action, String json) {
    return caller.post("/v1/approvals/" + approval + "/" + action, TaskerClient.quoted(json));
  }

  @Test
  void a_clerk_finds_claims_and_decides_and_the_decision_is_the_result() {
    UUID task = submit("nobody");
    JsonObject found = clerk.get("/v1/approvals?mine=true&task_uuid=" + task).object()
        .getJsonArray("approvals").getJsonObject(0);
    assertThat(found.getString("title")).isEqualTo("Loan of 5000 for " + SECRET);
    String approval = found.getString("approval_uuid");
    JsonObject whole = clerk.get("/v1/approvals/" + approval).object();
    assertThat(whole.getJsonObject("shown").toString()).isEqualTo("{\"amount\":5000}");
    assertThat(whole.getJsonObject("form").getJsonArray("required").getString(0))
        .isEqualTo("limit");
    assertThat(clerk.get("/v1/tasks/" + task).status()).as("no permission for tasks")
        .isEqualTo(403);

    assertThat(act(clerk, approval, "claim", "").object().getJsonObject("approval")
        .getString("claimed_by")).isEqualTo(clerkName);
    Answer wrong = act(clerk, approval, "decide", "{'approved': true, 'values': {'limit': 20000}}");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.text("code")).isEqualTo("invalid-values");
    assertThat(wrong.fields()).containsExactly("values/limit");
    assertThat(act(clerk, approval, "decide", "{'approved': true}").text("code"))
        .isEqualTo("invalid-values");
    assertThat(act(clerk, approval, "decide", "{'aproved': true}").fields()).contains("aproved",
        "approved");

    Answer decided = act(clerk, approval, "decide",
        "{'approved': true, 'values': {'limit': 4000}, 'comment': 'half of it'}");
    assertThat(decided.text("outcome")).isEqualTo("done");
    assertThat(act(clerk, approval, "decide",
        "{'approved': true, 'values': {'limit': 4000}, 'comment': 'half of it'}").text("outcome"))
        .isEqualTo("duplicate");
    Answer other = act(clerk, approval, "decide", "{'approved': false}");
    assertThat(other.status()).isEqualTo(409);
    assertThat(other.text("code")).isEqualTo("approval-decided");
    assertThat(other.text("detail")).contains(clerkName + " approved it at ");
    assertThat(admin.awaitTerminalOrBlocked(task).getString("state")).isEqualTo("complete");
    JsonObject result = admin.steps(task).get("review").getJsonObject("result");
    assertThat(result.getJsonObject("values").getInt("limit")).isEqualTo(4000);
    assertThat(result.getString("decided_by")).isEqualTo(clerkName);
    assertThat(admin.get("/v1/tasks/" + task + "/history").body())
        .contains("\"event\":\"claimed\"", "\"event\":\"approved\"")
        .doesNotContain("Loan of");
  }

  @Test
  void who_submitted_it_may_not_decide_it_and_who_may_not_see_it_learns_nothing() {
    UUID task = submit(samName);
    String approval = approval(task);
    assertThat(
        act(sam, approval, "decide", "{'approved': true, 'values': {'limit': 1}}").text("code"))
        .isEqualTo("four-eyes");
    assertThat(act(sam, approval, "claim", "").status()).isEqualTo(403);
    assertThat(sam.get("/v1/approvals/" + approval).object().getJsonArray("may")).isEmpty();
    assertThat(act(lead, approval, "delegate", "{'to': '" + samName + "'}").fields())
        .containsExactly("to");

    String hidden = approval(submit("nobody"));
    TaskerClient elsewhere = user("else_" + suffix, "{'role': 'approver', 'namespace': 'testing'}");
    TaskerClient reader = user("reader_" + suffix,
        "{'permission': 'approvals:read'}, {'permission': 'tasks:read'}, {'permission': 'tasks:list'}");
    for (TaskerClient caller : java.util.List.of(sam, elsewhere, reader)) {
      Answer unknown = caller.get("/v1/approvals/" + UUID.randomUUID());
      Answer answer = caller.get("/v1/approvals/" + hidden);
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.text("code")).isEqualTo(unknown.text("code"));
      assertThat(answer.body()).doesNotContain(SECRET, "5000", "limit");
      assertThat(caller.get("/v1/approvals?state=open,approved&limit=500").body())
          .doesNotContain(hidden);
      assertThat(act(caller, hidden, "delegate", "{'to': '" + clerkName + "'}").status())
          .isEqualTo(404);
    }
    for (TaskerClient caller : java.util.List.of(sam, elsewhere)) {
      assertThat(
          act(caller, hidden, "decide", "{'approved': true, 'values': {'limit': 1}}").status())
          .isEqualTo(404);
      assertThat(act(caller, hidden, "claim", "").status()).isEqualTo(404);
    }
    assertThat(reader.get("/v1/tasks/" + task + "/diagnosis").body()).contains("approval of")
        .doesNotContain(SECRET, "Loan of");
    assertThat(admin.get("/v1/approvals/" + hidden).object().getString("state")).isEqualTo("open");
  }

  @Test
  void a_lead_sees_all_and_gives_it_to_others_but_decides_only_what_is_its_own() {
    String approval = approval(submit("nobody"));
    assertThat(
        act(lead, approval, "decide", "{'approved': true, 'values': {'limit': 1}}").text("code"))
        .isEqualTo("not-a-candidate");
    assertThat(act(clerk, approval, "delegate", "{'to': '" + leadName + "'}").fields())
        .as("lead is no candidate").containsExactly("to");
    assertThat(act(clerk, approval, "claim", "").text("outcome")).isEqualTo("done");
    assertThat(act(lead, approval, "delegate", "{'to': '" + leadName + "', 'note': 'urgent'}")
        .text("outcome")).isEqualTo("done");
    Answer taken = act(clerk, approval, "decide", "{'approved': true, 'values': {'limit': 1}}");
    assertThat(taken.status()).isEqualTo(409);
    assertThat(taken.text("code")).isEqualTo("approval-taken");
    assertThat(taken.text("detail")).contains(leadName);
    assertThat(act(lead, approval, "decide", "{'approved': false}").text("outcome"))
        .isEqualTo("done");
  }

  @Test
  void looking_decides_nothing_and_wrong_questions_are_named() {
    String approval = approval(submit("nobody"));
    for (String action : java.util.List.of("claim", "unclaim", "delegate", "decide")) {
      assertThat(clerk.get("/v1/approvals/" + approval + "/" + action).status()).isEqualTo(405);
    }
    assertThat(clerk.get("/v1/approvals/" + approval).object().getJsonArray("events")).hasSize(1);
    for (String query : java.util.List.of("state=done", "mine=yes", "due_before=tomorrow",
        "cursor=x", "task_uuid=x", "limit=0",
        "who=me")) {
      Answer wrong = clerk.get("/v1/approvals?" + query);
      assertThat(wrong.status()).isEqualTo(400);
      assertThat(wrong.fields()).containsExactly(query.substring(0, query.indexOf('=')));
    }
    JsonObject page = lead.get("/v1/approvals?namespace=loans&limit=1&state=open,approved,rejected")
        .object();
    assertThat(page.getJsonArray("approvals")).hasSize(1);
  }
}
