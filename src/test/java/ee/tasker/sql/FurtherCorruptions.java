package ee.tasker.sql;

import static ee.tasker.sql.Corruptions.past;

import java.util.List;
import java.util.stream.Stream;

/**
 * The rest of {@link Corruptions}: table by table and column by column, what would notice if it
 * were wrong?
 */
final class FurtherCorruptions {
  private static final String APPROVAL = "(select approval_uuid from tasker.approvals where task_uuid = {asked})";
  private static final String BOOKS = "(select webhook_uuid from tasker.webhooks where name = 'books')";
  private static final String HOURLY = "(select schedule_uuid from tasker.schedules where name = 'hourly')";
  private static final String FORK = "(select task_uuid from tasker.task_forks where source_task_uuid = {forked})";
  private static final String PENDING = "(select delivery_uuid from tasker.webhook_deliveries where state = 'pending' and attempts = 1 limit 1)";
  private static final String DELIVERED = "(select delivery_uuid from tasker.webhook_deliveries where state = 'delivered' limit 1)";

  private FurtherCorruptions() {}

  static Stream<Corruption> all() {
    return Stream
        .of(approvals(), batchesAndDecisions(), forks(), eventsAndConsumers(), webhooks(),
            schedules(), waitsAndSignals(), tasksAndSteps(), templatesAndPolicies(), workers(),
            idempotencyKeys(), whatIsSet())
        .flatMap(List::stream);
  }

  private static List<Corruption> approvals() {
    String group = "Approvals";
    String update = "update tasker.approvals set ";
    String where = " where task_uuid = {asked}";
    return List.of(
        past(group, "four eyes of an open approval switched off",
            "approval_is_that_of_its_template", update + "is_four_eyes = false" + where),
        past(group, "the initiators of an open approval emptied",
            "approval_is_that_of_its_template", update + "initiators = '{}'" + where),
        past(group, "an initiator added", "document_equals_its_hash",
            update + "initiators = initiators || array['eve']" + where),
        past(group, "a user added to the candidates", "document_equals_its_hash",
            update + "candidate_users = candidate_users || array['eve']" + where),
        past(group, "a role taken from the candidates", "document_equals_its_hash",
            update + "candidate_roles = '{}'" + where),
        past(group, "other candidates after the escalation", "document_equals_its_hash",
            update + "escalation_users = array['eve']" + where),
        past(group, "an approval in another namespace", "approval_is_that_of_its_template",
            update + "namespace_name = 'approved'" + where),
        past(group, "the title of an approval", "document_equals_its_hash",
            update + "title = 'Pay nothing'" + where),
        past(group, "what is shown to those who decide", "document_equals_its_hash",
            update + "shown = '{\"amount\": 1}'" + where),
        past(group, "the comment of a decision", "document_equals_its_hash",
            "update tasker.approvals set decision_comment = 'gladly' where task_uuid = {approved}"),
        past(group, "an approval made at another time than its wait",
            "approval_is_that_of_its_wait",
            update + "created_at = created_at - interval '1 day'" + where),
        past(group, "an approval of another step", "approval_is_that_of_its_wait",
            update + "workflow_step_uuid = {asked.b}" + where),
        past(group, "a claim made at another time", "claim_has_its_event",
            update
                + "claimed_at = claimed_at - interval '1 hour', claim_ends_at = claim_ends_at - interval '1 hour'"
                + where),
        past(group, "a claim that lapses later than the template says",
            "approval_is_that_of_its_template",
            update + "claim_ends_at = claim_ends_at + interval '7 days'" + where),
        past(group, "a claim that never lapses", "approval_is_that_of_its_template",
            update + "claim_ends_at = null" + where),
        past(group, "a claim removed", "claim_has_its_event",
            update + "claimed_by = null, claimed_at = null, claim_ends_at = null" + where),
        past(group, "a claim that someone is said to have delegated", "claim_has_its_event",
            update + "assigned_by = 'carl'" + where),
        past(group, "an escalation without its event", "approval_is_decided_once",
            update + "escalated_at = created_at" + where),
        past(group, "an event of an approval under another task", "approval_is_decided_once",
            "update tasker.approval_events set task_uuid = {approved} where approval_uuid = "
                + APPROVAL + " and number = 2"),
        past(group, "the first event of an approval at another time", "approval_is_decided_once",
            "update tasker.approval_events set happened_at = happened_at - interval '1 day' where approval_uuid = "
                + APPROVAL
                + " and number = 1"),
        past(group, "an approval and its wait due at another time",
            "wait_is_due_as_its_template_says",
            update + "due_at = due_at + interval '1 day'" + where,
            "update tasker.step_waits set due_at = due_at + interval '1 day' where task_uuid = {asked}"),
        past(group, "the note of an event", "not seen: it is said once, for the reader",
            "update tasker.approval_events set note = 'x' where approval_uuid = " + APPROVAL
                + " and number = 1"));
  }

  private static List<Corruption> batchesAndDecisions() {
    String group = "Batches and decisions";
    String update = "update tasker.batches set ";
    return List.of(
        past(group, "the parallelism of a batch raised", "batch_keeps_the_settings_of_its_template",
            update + "parallelism = 50 where task_uuid = {trickling}"),
        past(group, "how many workers of a batch may fail",
            "batch_keeps_the_settings_of_its_template",
            update + "tolerate = 7 where task_uuid = {trickling}"),
        past(group, "the failure strategy of a batch", "batch_keeps_the_settings_of_its_template",
            update + "failure_strategy = 'fail_fast' where task_uuid = {trickling}"),
        past(group, "the settings of a batch that undoes another one",
            "batch_keeps_the_settings_of_its_template",
            update + "parallelism = 50 where task_uuid = {unloaded} and handoff = 0"),
        past(group, "the total of a closed batch", "batch_is_closed_once",
            update + "total_workers = 3 where task_uuid = {batched}"),
        past(group, "the total of an open batch", "worker_has_its_batch",
            update + "total_workers = 6 where task_uuid = {trickling}"),
        past(group, "the handoff whose result made a batch", "batch_is_that_of_a_result",
            update + "handoff = 9 where task_uuid = {batched}"),
        past(group, "a batch made years ago", "batch_is_that_of_a_result",
            update + "recorded_at = '2001-01-01' where task_uuid = {batched}"),
        past(group, "a batch closed years ago", "batch_is_closed_once",
            update + "closed_at = '2001-01-01' where task_uuid = {batched}"),
        past(group, "the position of the first worker", "worker_has_its_batch",
            update + "first_position = first_position + 1 where task_uuid = {trickling}"),
        past(group, "a batch under another task", "batch_is_closed_once",
            update + "task_uuid = {batched} where task_uuid = {trickling}"),
        past(group, "a batch of another batchable step", "batchable_step_has_its_batch",
            update + "batchable_step_uuid = {trickling.join} where task_uuid = {trickling}"),
        past(group, "a batch that counts more than the engine has cut", "batch_is_that_of_a_result",
            "insert into tasker.batch_items (batch_step_uuid, ordinal, item, document_hash) values ({cutting.work}, 4, '[9]', tasker.hash_documents('[9]'))",
            update + "total_workers = 4 where task_uuid = {cutting}"),
        past(group, "a cursor changed", "document_equals_its_hash",
            "update tasker.batch_items set item = '{\"id\": 77}' where batch_step_uuid = {trickling.work}"),
        past(group, "a cursor of another number", "worker_has_its_batch",
            "update tasker.batch_items set ordinal = 9 where batch_step_uuid = {trickling.work} and ordinal = 5"),
        past(group, "a cursor of a batch that is not there", "worker_has_its_batch",
            "insert into tasker.batch_items (batch_step_uuid, ordinal, item, document_hash) values (gen_random_uuid(), 1, '1', tasker.hash_documents('1'))"),
        past(group, "a worker listed for another batch", "live_worker_is_one_of_its_batch",
            "update tasker.batch_live_workers set batch_step_uuid = {cutting.work} where task_uuid = {trickling}"),
        past(group, "a worker that waits for a retry, listed for years later",
            "live_worker_is_one_of_its_batch",
            "update tasker.batch_live_workers set due_at = due_at + interval '9 years' where task_uuid = {trickling} and due_at is not null"),
        past(group, "the depth of a decision", "decision_is_that_of_a_result",
            "update tasker.decision_outcomes set depth = 3 where task_uuid = {decided}"),
        past(group, "the handoff whose result decided", "decision_is_that_of_a_result",
            "update tasker.decision_outcomes set handoff = 9 where task_uuid = {decided}"),
        past(group, "a decision made years ago", "decision_is_that_of_a_result",
            "update tasker.decision_outcomes set decided_at = '2001-01-01' where task_uuid = {decided}"),
        past(group, "the rule that decided", "decision_is_that_of_a_result",
            "update tasker.decision_outcomes set reason = 'otherwise' where task_uuid = {ruled}"),
        past(group, "another choice than the rules made, of a running task",
            "decision_is_that_of_a_result",
            "update tasker.decision_outcomes set chosen = array['y'] where task_uuid = {ruled}"),
        past(group, "a decision under another task", "decision_is_carried_out",
            "update tasker.decision_outcomes set task_uuid = {ruled} where task_uuid = {decided}"));
  }

  private static List<Corruption> forks() {
    String group = "Forks";
    return List.of(
        past(group, "a fork of another source than was asked for", "fork_is_that_of_its_request",
            "update tasker.task_forks set source_task_uuid = gen_random_uuid(), copied_steps = 0 where source_task_uuid = {forked}"),
        past(group, "a fork from another step than was asked for", "fork_is_that_of_its_request",
            "update tasker.task_forks set from_steps = array['s1'] where source_task_uuid = {forked}"),
        past(group, "a fork from one more step", "fork_is_that_of_its_request",
            "update tasker.task_forks set from_steps = from_steps || array['s3'] where source_task_uuid = {forked}"),
        past(group, "a fork made at another time", "fork_is_that_of_its_request",
            "update tasker.task_forks set forked_at = forked_at - interval '1 day' where source_task_uuid = {forked}"),
        past(group, "the record of a fork deleted", "fork_is_that_of_its_request",
            "delete from tasker.task_forks where source_task_uuid = {forked}"),
        past(group, "the action of a fork deleted", "fork_is_that_of_its_request",
            "delete from tasker.operator_actions where action = 'fork' and task_uuid = " + FORK));
  }

  private static List<Corruption> eventsAndConsumers() {
    String group = "Domain events and their consumers";
    String update = "update tasker.domain_events set ";
    String paid = " where task_uuid = {published} and name = 'paid'";
    String ofTask = " where task_uuid = {published} and kind = 'task'";
    return List.of(
        past(group, "the data of an event", "document_equals_its_hash",
            update + "data = '{\"amount\": 1}'" + paid),
        past(group, "an event said to be wrong", "document_equals_its_hash",
            update + "error = '{\"type\": \"schema_violation\", \"message\": \"x\"}'" + paid),
        past(group, "the data of an event of the engine", "document_equals_its_hash",
            update + "data = '{\"state\": \"error\"}'" + ofTask),
        past(group, "an event behind the end of the feed", "feed_ends_at_its_last_position",
            update + "position = 1000000" + paid),
        past(group, "an event taken out of the feed", "events_of_a_step_are_in_order",
            update + "position = null" + paid),
        past(group, "how an event is delivered", "event_has_its_result",
            update + "delivery_mode = 'fast'" + paid),
        past(group, "an event written at another time", "event_has_its_result",
            update + "created_at = created_at - interval '1 day'" + paid),
        past(group, "an event of another result", "event_has_its_result",
            update + "sort_key = sort_key + 1" + paid),
        past(group, "an event under another task", "event_has_its_result",
            update + "task_uuid = {done}" + paid),
        past(group, "an event of the engine of another kind", "event_of_the_engine_has_its_cause",
            update + "kind = 'dead_letter'" + ofTask),
        past(group, "an event of the engine at another time", "event_of_the_engine_has_its_cause",
            update + "created_at = created_at - interval '1 day'" + ofTask),
        past(group, "a consumer behind the end of the feed", "feed_ends_at_its_last_position",
            "update tasker.event_consumers set position = 1000000 where name = 'topic'"),
        past(group, "a consumer held for years by a server", "nothing_is_put_off",
            "update tasker.event_consumers set lease_until = now() + interval '9 years' where name = 'topic'"),
        past(group, "a consumer that tries again in years", "nothing_is_put_off",
            "update tasker.event_consumers set failures = 1, last_failure = 'x', retry_at = now() + interval '9 years' where name = 'topic'"),
        past(group, "a consumer set back",
            "not seen: it sends again what it has sent, which it may do at any time",
            "update tasker.event_consumers set position = 0 where name = 'topic'"));
  }

  private static List<Corruption> webhooks() {
    String group = "Webhooks";
    String update = "update tasker.webhooks set ";
    String books = " where name = 'books'";
    String delivery = "update tasker.webhook_deliveries set ";
    String pending = " where delivery_uuid = " + PENDING;
    return List.of(
        past(group, "a webhook behind the end of the feed", "feed_ends_at_its_last_position",
            update + "position = 1000000" + books),
        past(group, "a webhook set back before what it has sent",
            "webhook_is_as_far_as_its_deliveries", update + "position = 0" + books),
        past(group, "a webhook that leaves out earlier events", "webhook_counts_its_deliveries",
            update + "starts_at = now() + interval '1 day'" + books),
        past(group, "a webhook that waits for years", "nothing_is_put_off",
            update + "wait_until = now() + interval '9 years'" + books),
        past(group, "fewer deliveries counted than there are", "webhook_counts_its_deliveries",
            update + "delivered_count = 0" + books),
        past(group, "fewer failures counted than there were", "webhook_counts_its_deliveries",
            update + "failed_count = 0" + books),
        past(group, "more failures in a row than failures", "webhook_counts_its_deliveries",
            update + "failures_in_a_row = 9" + books),
        past(group, "a webhook of another namespace", "delivery_has_its_event",
            update + "namespace_name = 'done'" + books),
        past(group, "another filter of a webhook", "delivery_has_its_event",
            update + "event_types = array['paid']" + books),
        past(group, "a webhook of another template", "delivery_has_its_event",
            update + "template_name = 'other'" + books),
        past(group, "a webhook paused by no one", "pause_is_that_of_its_action",
            update + "paused_at = now(), paused_by = 'ann', pause_reason = 'x'" + books),
        past(group, "a webhook deleted by no one", "pause_is_that_of_its_action",
            update + "deleted_at = now()" + books),
        past(group, "the pause of a webhook removed", "pause_is_that_of_its_action",
            update
                + "paused_at = null, paused_by = null, pause_reason = null where name = 'paused'"),
        past(group, "a secret of a webhook that is not there", "webhook_has_a_secret",
            "insert into tasker.webhook_secrets (webhook_uuid, secret) values (gen_random_uuid(), 'whsec_y')"),
        past(group, "two secrets that sign, past the index", "webhook_has_a_secret",
            "drop index tasker.webhook_secrets_present_key",
            "insert into tasker.webhook_secrets (webhook_uuid, secret) select webhook_uuid, 'whsec_y' from tasker.webhooks"
                + books),
        past(group, "two secrets that sign", "refused by webhook_secrets_present_key",
            "insert into tasker.webhook_secrets (webhook_uuid, secret) select webhook_uuid, 'whsec_y' from tasker.webhooks"
                + books),
        past(group, "an event that was delivered although it was not sent",
            "delivery_is_what_its_attempts_were",
            delivery
                + "state = 'delivered', ended_at = now() where state = 'pending' and attempts = 0"),
        past(group, "an event that was delivered although the receiver refused it",
            "delivery_is_what_its_attempts_were",
            delivery + "state = 'delivered', ended_at = now()" + pending),
        past(group, "a delivery given up before its last attempt",
            "delivery_is_what_its_attempts_were",
            delivery + "state = 'dead', ended_at = now()" + pending),
        past(group, "fewer claims than attempts", "delivery_is_what_its_attempts_were",
            delivery + "claims = 0" + pending),
        past(group, "a delivery said to be repeated", "delivery_is_what_its_attempts_were",
            delivery + "replays = 1" + pending),
        past(group, "a delivery that is due in years", "delivery_is_due_within_its_backoff",
            delivery + "due_at = now() + interval '9 years'" + pending),
        past(group, "a delivery claimed for years", "delivery_is_due_within_its_backoff", delivery
            + "state = 'in_flight', leased_by = gen_random_uuid(), due_at = now() + interval '9 years'"
            + pending),
        past(group, "a delivery of an event of another time", "delivery_has_its_event",
            delivery + "event_at = event_at - interval '1 day' where delivery_uuid = " + DELIVERED),
        past(group, "a delivery of a webhook that is not there", "delivery_has_its_event",
            delivery + "webhook_uuid = gen_random_uuid() where delivery_uuid = " + DELIVERED),
        past(group, "a delivery of an event of another name", "delivery_has_its_event",
            delivery + "event_type = 'x' where delivery_uuid = " + DELIVERED),
        past(group, "from where on the filter of a webhook holds",
            "not seen: a change of the filter moves it, and what was sent before stays as it is",
            update + "first_position = position" + books),
        past(group, "the address, the secret and the limits of a webhook",
            "not seen: what its author set; there is no second record, and of a secret there must be none",
            update + "url = 'https://other.example.com/', max_in_flight = 1, timeout_seconds = 1"
                + books,
            "update tasker.webhook_secrets set secret = 'whsec_z' where webhook_uuid = " + BOOKS),
        past(group, "what a receiver answered",
            "not seen: for the reader; nothing is decided by it",
            delivery + "last_response = 'x', last_error = 'y'" + pending));
  }

  private static List<Corruption> schedules() {
    String group = "Schedules";
    String update = "update tasker.schedules set ";
    String hourly = " where name = 'hourly'";
    return List.of(
        past(group, "an active schedule without a next fire time",
            "active_schedule_has_its_next_fire_time",
            update + "next_fire_at = null, next_due_at = null" + hourly),
        past(group, "an active cron schedule without a next fire time",
            "active_schedule_has_its_next_fire_time",
            update
                + "cron = '0 3 * * *', every_seconds = null, next_fire_at = null, next_due_at = null"
                + hourly),
        past(group, "a next fire time between those of the interval",
            "active_schedule_has_its_next_fire_time",
            update
                + "next_fire_at = next_fire_at + interval '1 hour', next_due_at = next_due_at + interval '1 hour'"
                + hourly),
        past(group, "a next fire time in years", "active_schedule_has_its_next_fire_time", update
            + "next_fire_at = next_fire_at + interval '86400 days', next_due_at = next_due_at + interval '86400 days'"
            + hourly),
        past(group, "a next fire time of a daily cron schedule in a week",
            "active_schedule_has_its_next_fire_time",
            update
                + "cron = '0 3 * * *', every_seconds = null, next_fire_at = now() + interval '7 days', next_due_at = now() + interval '7 days'"
                + hourly),
        past(group, "a fire time that is due later than its jitter",
            "active_schedule_has_its_next_fire_time",
            update + "next_due_at = next_due_at + interval '9 years'" + hourly),
        past(group, "a next fire time behind the end of the schedule",
            "active_schedule_has_its_next_fire_time", update + "ends_at = now()" + hourly),
        past(group, "a queued fire time that is checked again in years", "nothing_is_put_off",
            update + "queued_fire_at = now(), recheck_at = now() + interval '9 years'" + hourly),
        past(group, "fewer started fires counted than there are", "schedule_counts_its_fires",
            update + "started_count = 0" + hourly),
        past(group, "another last fire time", "schedule_counts_its_fires",
            update + "last_fire_at = '2001-01-01'" + hourly),
        past(group, "a task that runs, and is not open for its schedule", "fire_has_its_task",
            "update tasker.schedule_fires set is_open = false where schedule_uuid = " + HOURLY),
        past(group, "a fire of a schedule that is not there", "fire_has_its_task",
            "update tasker.schedule_fires set schedule_uuid = gen_random_uuid() where schedule_uuid = "
                + HOURLY),
        past(group, "a started fire said to be skipped", "refused by task_iff_started",
            "update tasker.schedule_fires set outcome = 'skipped', reason = 'overlap', is_open = false where schedule_uuid = "
                + HOURLY),
        past(group, "a schedule paused by no one", "pause_is_that_of_its_action",
            update + "paused_at = now(), paused_by = 'ann', pause_reason = 'x'" + hourly),
        past(group, "a schedule deleted by no one", "pause_is_that_of_its_action",
            update + "deleted_at = now()" + hourly),
        past(group, "a backfill that ended before its end", "backfill_stays_in_its_period",
            "update tasker.schedule_backfills set cursor_at = from_at"),
        past(group, "a backfill of a schedule that is not there", "backfill_stays_in_its_period",
            "update tasker.schedule_backfills set schedule_uuid = gen_random_uuid()"),
        past(group, "a backfill that goes on in years", "nothing_is_put_off",
            "update tasker.schedule_backfills set state = 'running', ended_at = null, wake_at = now() + interval '9 years'"),
        past(group, "a due backfill that no server processes", "due_schedule_is_processed",
            "update tasker.schedule_backfills set state = 'running', ended_at = null, wake_at = now() - interval '1 hour'"),
        past(group, "the timing, the template, the context and the overlap of a schedule",
            "not seen: what its author set; there is no second record",
            update
                + "overlap = 'allow', context = '{\"a\": 1}', catch_up = 'all', template_version = '9.9.9'"
                + hourly),
        past(group, "how many fire times were missed",
            "not seen: a range of them is one record, whose number may be unknown",
            update + "missed_count = 99" + hourly));
  }

  private static List<Corruption> waitsAndSignals() {
    String group = "Waits and signals";
    String third = " where task_uuid = {signalled} and number = 3";
    return List.of(
        past(group, "the id of a signal", "document_equals_its_hash",
            "update tasker.task_signals set signal_id = 'other'" + third),
        past(group, "the name of a signal that waits", "document_equals_its_hash",
            "update tasker.task_signals set name = 'other'" + third),
        past(group, "when a signal was sent", "document_equals_its_hash",
            "update tasker.task_signals set sent_at = sent_at - interval '1 day'" + third),
        past(group, "who sent a signal", "document_equals_its_hash",
            "update tasker.task_signals set sent_by = 'eve'" + third),
        past(group, "a timer that is due at another time", "wait_is_due_as_its_template_says",
            "update tasker.step_waits set due_at = due_at + interval '1 year' where task_uuid = {asleep}"),
        past(group, "a timer that was armed at another time", "wait_is_due_as_its_template_says",
            "update tasker.step_waits set armed_at = armed_at - interval '1 hour' where task_uuid = {asleep}"),
        past(group, "a wait for a signal that times out although the template has no limit",
            "wait_is_due_as_its_template_says",
            "update tasker.step_waits set due_at = ended_at + interval '1 hour' where task_uuid = {signalled} and state = 'satisfied'"),
        past(group, "an attempt of a wait for a child that was not the first",
            "child_is_one_of_its_step",
            "update tasker.step_waits set attempt = 5 where task_uuid = {calling}"),
        past(group, "a notice of another sender", "notice_belongs_to_a_task",
            "update tasker.task_notices set sender_uuid = {done} where task_uuid = {ending}"),
        past(group, "a notice of another kind", "notice_belongs_to_a_task",
            "update tasker.task_notices set kind = 'cancel' where task_uuid = {ending}"),
        past(group, "the payload of a queued signal",
            "not seen: until a server delivers it there is no second record",
            "insert into tasker.queued_signals (task_uuid, name, payload, refused_at, code) values ({signalled}, 'payment', '{}', now(), 'x')",
            "update tasker.queued_signals set payload = '{\"n\": 9}'"));
  }

  private static List<Corruption> tasksAndSteps() {
    String group = "Tasks and steps";
    return List.of(
        past(group, "attempts_before_reset of a step that was reset",
            "attempts_count_from_the_latest_reset",
            "update tasker.workflow_steps set attempts_before_reset = 0 where workflow_step_uuid = {repaired.s1}"),
        past(group, "attempts_before_reset of a step that was not",
            "attempts_count_from_the_latest_reset",
            "update tasker.workflow_steps set attempts_before_reset = 1 where workflow_step_uuid = {exhausted.a}"),
        past(group, "attempts_before_reset beyond the attempts", "refused by reset_is_behind",
            "update tasker.workflow_steps set attempts_before_reset = 9 where workflow_step_uuid = {exhausted.a}"),
        past(group, "how often a step has yielded", "yields_are_those_of_the_history",
            "update tasker.workflow_step_documents set yields = 9 where workflow_step_uuid = {yielding.a}"),
        past(group, "how often a step has yielded without progress",
            "yields_are_those_of_the_history",
            "update tasker.workflow_step_documents set stalled_yields = 1 where workflow_step_uuid = {yielding.a}"),
        past(group, "the handoff that yielded", "yields_are_those_of_the_history",
            "update tasker.workflow_step_documents set yielded_handoff = 9 where workflow_step_uuid = {yielding.a}"),
        past(group, "the documents of a step that has yielded deleted",
            "yields_are_those_of_the_history",
            "delete from tasker.workflow_step_documents where workflow_step_uuid = {yielding.a}"),
        past(group, "a step that publishes no events any more",
            "task_keeps_the_settings_of_its_template",
            "update tasker.workflow_steps set publishes_events = null where task_uuid = {published}"),
        past(group, "a task that has no output any more", "task_keeps_the_settings_of_its_template",
            "update tasker.tasks set has_output = null where task_uuid = {calling}"),
        past(group, "a running task whose context is to be checked",
            "unchecked_task_has_not_started",
            "update tasker.tasks set context_checked = false where task_uuid = {running}"),
        past(group, "an SLA that was breached although there is none", "sla_breach_has_its_limit",
            "update tasker.tasks set sla_breached_at = now() where task_uuid = {running}"),
        past(group, "who asked for a cancel", "cancel_request_is_recorded",
            "update tasker.tasks set cancel_requested_by = 'eve' where task_uuid = {cancelled}"),
        past(group, "how a task is to be cancelled", "cancel_request_is_recorded",
            "update tasker.tasks set cancel_policy = 'allow_finish', cancel_force_at = null where task_uuid = {cancelled}"),
        past(group, "a cancel that lets running steps go on for ever", "cancel_request_is_recorded",
            "update tasker.tasks set cancel_force_at = null where task_uuid = {cancelled}"),
        past(group, "a cancel request removed but for its reason", "cancel_request_is_recorded",
            "update tasker.tasks set cancel_reason = 'x' where task_uuid = {running}"),
        past(group, "who submitted a task", "document_equals_its_hash",
            "update tasker.task_contexts set submitted_by = 'eve' where task_uuid = {running}"),
        past(group, "a wake-up after the start of a delayed task", "wakeup_is_within_reach",
            "update tasker.task_wakeups set wake_at = now() + interval '59 minutes' where task_uuid = {delayed}",
            "update tasker.tasks set start_at = now() + interval '1 minute' where task_uuid = {delayed}"),
        past(group, "the worker of a result", "result_has_its_move",
            "update tasker.workflow_step_result_audit set worker_uuid = gen_random_uuid() where workflow_step_uuid = {done.s1}"),
        past(group, "a compensation that ended at another time", "compensation_belongs_to_its_task",
            "update tasker.task_compensations set ended_at = ended_at + interval '1 day' where task_uuid = {undone}"),
        past(group, "a compensation that began before it was asked for",
            "compensation_belongs_to_its_task",
            "update tasker.task_compensations set began_at = asked_at - interval '1 day' where task_uuid = {undone}"),
        past(group, "when running steps are made to stop",
            "not seen: the request says how long they may take, up to any length",
            "update tasker.tasks set cancel_force_at = cancel_force_at + interval '1 year' where task_uuid = {cancelled}"),
        past(group, "when a delayed task starts, later", "not seen: the time that the caller gave",
            "update tasker.tasks set start_at = start_at + interval '1 minute' where task_uuid = {delayed}"),
        past(group, "the trace of a request", "not seen: for the reader; nothing is decided by it",
            "update tasker.task_contexts set trace_parent = '00-00000000000000000000000000000001-0000000000000001-01' where task_uuid = {running}"));
  }

  private static List<Corruption> templatesAndPolicies() {
    String group = "Templates and policies";
    String update = "update tasker.named_tasks_named_steps set ";
    return List.of(
        past(group, "the type of a step of a template", "document_equals_its_hash",
            update + "step_type = 'x' where named_task_uuid = {done.template}"),
        past(group, "the backoff of a step of a template", "document_equals_its_hash",
            update
                + "backoff_base_ms = 7, max_backoff_ms = 8 where named_task_uuid = {done.template}"),
        past(group, "the method and the resolver of a handler", "document_equals_its_hash",
            update
                + "handler_method = 'x', handler_resolver = 'y' where named_task_uuid = {done.template}"),
        past(group, "the initialization of a step of a template", "document_equals_its_hash",
            update + "initialization = '{\"a\": 1}' where named_task_uuid = {done.template}"),
        past(group, "the options of a step of a template", "document_equals_its_hash",
            update + "handler_options = '{\"a\": 1}' where named_task_uuid = {done.template}"),
        past(group, "the schema of a result", "document_equals_its_hash",
            update + "result_schema = '{}' where named_task_uuid = {done.template}"),
        past(group, "what happens when a worker is lost", "document_equals_its_hash",
            update + "on_worker_lost = 'abandon' where named_task_uuid = {done.template}"),
        past(group, "what a step of a template waits for", "document_equals_its_hash",
            update
                + "wait_for = wait_for || '{\"candidates\": {\"users\": [\"eve\"]}}' where named_task_uuid = {asked.template} and wait_for is not null"),
        past(group, "the rules of a decision", "document_equals_its_hash",
            update
                + "rules = '{\"rules\": [], \"otherwise\": [\"y\"]}' where named_task_uuid = {ruled.template} and rules is not null"),
        past(group, "the batches of a template", "document_equals_its_hash",
            update
                + "batch = batch || '{\"parallelism\": 99}' where named_task_uuid = {trickling.template} and step_type = 'batch_worker'"),
        past(group, "the events that a step publishes", "document_equals_its_hash",
            update + "events = events - 0 where named_task_uuid = {published.template}"),
        past(group, "the handler of a compensation", "document_equals_its_hash",
            update
                + "handler_callable = 'x' where named_task_uuid = {undone.template} and step_type = 'compensation'"),
        past(group, "which steps a compensation undoes", "document_equals_its_hash",
            update
                + "undoes_attempts = true where named_task_uuid = {undone.template} and step_type = 'compensation'"),
        past(group, "the SLA of a template", "template_equals_its_definition",
            "update tasker.named_tasks set sla_minutes = 5 where named_task_uuid = {done.template}"),
        past(group, "the time limit of a template", "template_equals_its_definition",
            "update tasker.named_tasks set max_duration = '1 year' where named_task_uuid = {done.template}"),
        past(group, "what happens at the time limit", "template_equals_its_definition",
            "update tasker.named_tasks set on_timeout = 'cancel' where named_task_uuid = {done.template}"),
        past(group, "the output of a template", "template_equals_its_definition",
            "update tasker.named_tasks set output = '{}' where named_task_uuid = {called.template}"),
        past(group, "whether a template checks contexts", "template_equals_its_definition",
            "update tasker.named_tasks set has_input_schema = true where named_task_uuid = {done.template}"),
        past(group, "what a template seals of a result", "sealing_is_that_of_its_template",
            "update tasker.named_tasks_named_steps set sealed = null where named_task_uuid = {sealed.template}"),
        past(group, "what a template seals of contexts", "sealing_is_that_of_its_template",
            "update tasker.named_tasks set sealed = null where named_task_uuid = {sealed_in.template}"),
        past(group, "a context in clear", "sealed_value_is_sealed",
            "update tasker.task_contexts set context = '{\"iban\": 1}' where task_uuid = {sealed_in}"),
        past(group, "a result in clear", "sealed_value_is_sealed",
            "update tasker.workflow_step_result_audit set result = '{\"iban\": 1}' where task_uuid = {sealed}"),
        past(group, "a policy deleted", "policy_is_that_of_its_template",
            "delete from tasker.concurrency_policies where namespace_name = 'admitted'"),
        past(group, "a policy deleted together with what follows it",
            "policy_is_that_of_its_template",
            "delete from tasker.named_tasks_policies where named_task_uuid = {admitted.template}",
            "delete from tasker.concurrency_slots",
            "delete from tasker.concurrency_policies where namespace_name = 'admitted'"),
        past(group, "the limit of a policy", "policy_is_that_of_its_template",
            "update tasker.concurrency_policies set template_limit = 9 where namespace_name = 'admitted'"),
        past(group, "what a policy does when it is full", "policy_is_that_of_its_template",
            "update tasker.concurrency_policies set when_full = 'fail_fast' where namespace_name = 'admitted'"),
        past(group, "the key of a policy", "policy_is_that_of_its_template",
            "update tasker.concurrency_policies set key_pointer = '/customer' where namespace_name = 'admitted'"),
        past(group, "a policy of another template", "policy_is_that_of_its_template",
            "update tasker.concurrency_policies set template_name = 'other' where namespace_name = 'admitted'"),
        past(group, "a slot under another key", "slot_has_the_key_of_its_task",
            "update tasker.concurrency_slots set key = '\"x\"'"),
        past(group, "a release of a policy that is not there", "slot_has_the_key_of_its_task",
            "insert into tasker.concurrency_releases (policy_uuid, key) values (gen_random_uuid(), '')"),
        past(group, "the callable of a handler in the catalog", "handler_is_in_the_catalog",
            "update tasker.namespace_handlers set handler_callable = 'x'"),
        past(group, "a limit that was set at run time",
            "not seen: what an operator set; the policy has the only record of it",
            "update tasker.concurrency_policies set set_limit = 1, set_by = 'ann' where namespace_name = 'admitted'"),
        past(group, "descriptions of templates and steps",
            "not seen: kept as they were given, for the reader",
            "update tasker.named_steps set description = 'x'",
            "update tasker.named_tasks set description = 'x'"));
  }

  private static List<Corruption> workers() {
    String group = "Workers and servers";
    String update = "update tasker.workers set ";
    return List.of(
        past(group, "a worker that would not get the steps of its handlers",
            "worker_serves_what_it_declared", update + "served = '{\"done\": []}'"),
        past(group, "a worker that would get the steps of other handlers",
            "worker_serves_what_it_declared", update + "served = null"),
        past(group, "a worker that is ahead of the catalog", "worker_serves_what_it_declared",
            update + "served_version = 1000000"),
        past(group, "the version of the catalog set back", "worker_serves_what_it_declared",
            "update tasker.handler_catalog set version = 0"),
        past(group, "a worker of another caller", "worker_is_of_its_owner",
            update + "owner = 'key:' || gen_random_uuid()"),
        past(group, "a worker of another user", "worker_is_of_its_owner", update
            + "owner = (select 'user:' || user_uuid from tasker.access_users where name = 'eve')"),
        past(group, "a worker that belongs to no one any more", "worker_is_of_its_owner",
            update + "owner = null"),
        past(group, "the name of the caller that registered a worker", "worker_is_of_its_owner",
            update + "registered_by = 'eve'"),
        past(group, "a worker that is not lost for years", "lease_is_that_of_its_heartbeat",
            update + "lease_expires_at = now() + interval '9 years'"),
        past(group, "a worker with a heartbeat in years", "nothing_is_put_off", update
            + "heartbeat_at = now() + interval '9 years', lease_expires_at = now() + interval '9 years'"),
        past(group, "a server that is not lost for years", "lease_is_that_of_its_heartbeat",
            "insert into tasker.servers (server_uuid, name, roles, lease_expires_at) values (gen_random_uuid(), 's', array['worker'], now() + interval '9 years')"),
        past(group, "the capacity of a worker, and what it runs",
            "not seen: it says so itself, and what it declares may change",
            update + "capacity = 99, running = 3"));
  }

  private static List<Corruption> idempotencyKeys() {
    String group = "Idempotency keys";
    String update = "update tasker.idempotency_keys set ";
    return List.of(
        past(group, "the hash of the request of an idempotency key", "document_equals_its_hash",
            update + "request_hash = sha256('other')"),
        past(group, "the status of a saved response", "document_equals_its_hash",
            update + "status = 200"),
        past(group, "the location of a saved response", "document_equals_its_hash",
            update + "location = '/v1/tasks/other'"),
        past(group, "the body of a saved response", "document_equals_its_hash",
            update + "body = '{}'"),
        past(group, "an idempotency key of another caller", "document_equals_its_hash",
            update + "principal = 'eve'"),
        past(group, "another idempotency key", "document_equals_its_hash",
            update + "idempotency_key = 'other'"),
        past(group, "an idempotency key deleted, or with another time",
            "not seen: they go after some hours, and the identity of the task stays",
            "delete from tasker.idempotency_keys"));
  }

  private static List<Corruption> whatIsSet() {
    String group = "What operators set";
    return List.of(
        past(group, "the pause of a template deleted", "pause_is_that_of_its_action",
            "delete from tasker.template_pauses where not is_namespace"),
        past(group, "the pause of a template by no one", "pause_is_that_of_its_action",
            "insert into tasker.template_pauses (named_task_uuid, is_namespace, paused_at, paused_by, reason) values ({done.template}, false, now(), 'ann', 'x')"),
        past(group, "the pause of a namespace that is not one of its template",
            "pause_is_that_of_its_action",
            "delete from tasker.template_pauses where is_namespace"),
        past(group, "the pause of a namespace removed, those of its templates kept",
            "pause_is_that_of_its_action",
            "update tasker.task_namespaces set paused_at = null, paused_by = null, pause_reason = null where paused_at is not null"),
        past(group, "a task taken out of a bulk action", "bulk_action_has_its_tasks",
            "update tasker.bulk_actions set tasks = tasks[2:] where is_background"),
        past(group, "the number of tasks of a bulk action", "bulk_action_has_its_tasks",
            "update tasker.bulk_actions set task_count = 99 where is_background"),
        past(group, "a verdict of a bulk action that is not there", "bulk_action_has_its_tasks",
            "insert into tasker.bulk_action_tasks (token, task_uuid, outcome, acted_at) values (gen_random_uuid(), {done}, 'done', now())"),
        past(group, "how far the reconciler is, deleted", "single_rows_are_there",
            "delete from tasker.reconciler_progress"),
        past(group, "how far the analytics are, deleted", "single_rows_are_there",
            "delete from tasker.analytics_progress"),
        past(group, "the version of the catalog deleted", "single_rows_are_there",
            "delete from tasker.handler_catalog"),
        past(group, "a table that is not purged any more", "single_rows_are_there",
            "delete from tasker.expiring_tables where table_name = 'write_requests'"),
        past(group, "a purge that is put off for years",
            "healed by purge_expired_tasks, which does not wait for a pass that it has not put off",
            "insert into tasker.retention_progress (named_task_uuid, next_pass_at) values ({done.template}, now() + interval '9 years')"),
        past(group, "where the reconciler is",
            "healed by reconcile_tasks: its next pass begins with the first task",
            "update tasker.reconciler_progress set cursor_uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'"),
        past(group, "where the analytics are, ahead",
            "healed by roll_up_analytics, which counts on by time as after a restore",
            "update tasker.analytics_progress set next_xact = 9000000000"),
        past(group, "how long the executions of a minute took", "tallies_equal_a_recount",
            "update tasker.step_tallies set seconds = seconds + 60, most_seconds = most_seconds + 60"),
        past(group, "the shortest execution of a minute", "tallies_equal_a_recount",
            "update tasker.step_tallies set least_seconds = least_seconds - 1"),
        past(group, "the longest task of a minute", "tallies_equal_a_recount",
            "update tasker.task_tallies set most_seconds = most_seconds + 60"),
        past(group, "how long rows of other tables are kept", "not seen: what an operator sets",
            "update tasker.expiring_tables set keep_days = 1"),
        past(group, "the priority of a namespace", "not seen: what an operator sets",
            "update tasker.task_namespaces set priority_modifier = 50"),
        past(group, "users, keys, roles and grants",
            "not seen: who may do what is for your administrators to say; write_requests and the log have their changes",
            "insert into tasker.access_grants (user_uuid, role, granted_by) select user_uuid, 'admin', 'eve' from tasker.access_users",
            "update tasker.access_users set password_hash = null, password_changed_at = null",
            "insert into tasker.access_role_permissions (role, permission) values ('viewer', 'tasks:create')"),
        past(group, "saved views of the console", "not seen: they belong to their users",
            "insert into tasker.saved_views (page, name, query, owner, saved_by) values ('tasks', 'mine', 'state=error', 'user:x', 'ann')"),
        past(group, "a message that could not be processed",
            "not seen: what another program sent is kept as it came, for an operator",
            "insert into tasker.dead_messages (queue_name, msg_id, read_ct, enqueued_at, cause) values ('q', 1, 1, now(), 'x')"),
        past(group, "the log of write requests",
            "not seen: there is no second record; the actions are in operator_actions",
            "insert into tasker.write_requests (caller, caller_kind, method, route, path, server_uuid) values ('eve', 'user', 'POST', '/x', '/x', gen_random_uuid())"),
        past(group, "why and since when an offer is watched",
            "not seen: recovery looks again; the limit is a setting of the servers",
            "insert into tasker.unclaimed_offers (task_uuid, workflow_step_uuid, handoff, why, since, due_at) select task_uuid, workflow_step_uuid, handoffs, 'unclaimed', now(), now() + interval '1 year' "
                + "from tasker.workflow_steps where state = 'enqueued' limit 1"),
        past(group, "faults of a task, and until when it is parked",
            "not seen: an hour later it is tried again whatever they say",
            "insert into tasker.task_faults (task_uuid, faults, first_at, last_at, sqlstate, cause) values ({running}, 3, now(), now(), 'XX000', 'x')"));
  }
}
