// Messages that could not be processed.
import { html } from "../dom.js";
import { change, get, link, query, setParams, shared, useLoad } from "../core.js";
import { t } from "../texts.js";
import { QueueTabs } from "./queues.js";
import { Action, Empty, Fold, Json, Loaded, PageHead, Pages, Panel, Table, Time, Toolbar } from "../ui/index.js";

export default function DeadMessages({ params }) {
  const replayed = params.get("replayed") === "true";
  const cursor = params.get("cursor");
  const messages = useLoad((signal) => get("v1/dead-messages", { replayed, cursor, limit: 50 }, signal), [replayed, cursor], 30_000);
  return html`<${PageHead} title=${t.pages.deadMessages} /><${QueueTabs} current="deadMessages" /><p class="quiet">${t.messages.hint}</p>
    <${Panel} flat><${Toolbar}><label><input type="checkbox" checked=${replayed} onChange=${(e) => setParams({ replayed: e.target.checked ? "true" : null, cursor: null })} /> ${t.messages.withReplayed}</label><//>
    <${Loaded} of=${messages}>${({ messages: all, next }) => html`${all.length === 0 ? html`<${Empty} icon="queues" title=${t.messages.none} />`
      : html`<${Table} label=${t.pages.deadMessages} head=${[t.messages.parked, t.servers.queue, t.messages.read, t.messages.cause, t.task.act]}>${all.map((message) => html`<tr key=${message.dead_message_uuid} data-message=${message.dead_message_uuid}>
        <td><${Time} at=${message.parked_at} /></td><td>${message.queue_name}</td><td>${message.read_ct}</td>
        <td>${message.cause ?? message.sqlstate}${message.message !== undefined && html`<${Fold} summary=${t.messages.body}>${() => html`<${Json} value=${message.message} name=${message.dead_message_uuid} />`}<//>`}</td>
        <td>${message.replayed_at ? html`${t.messages.replayedBy(message.replayed_by)} <${Time} at=${message.replayed_at} />`
          : html`<${Action} label=${t.messages.replay} of=${t.messages.named(message)} kind=${t.messages.kind} sentence=${t.messages.replaySentence} withReason=${false} isOffered=${message.allowed_actions?.includes("replay")} onDone=${messages.reload}
            send=${(_, key) => change("POST", `v1/dead-messages/${message.dead_message_uuid}/replay${query({ requested_by: shared.me.name })}`, undefined, key)} />`}</td></tr>`)}<//>`}
      <${Pages} first=${cursor && (() => setParams({ cursor: null }))} next=${next && link("deadMessages", { replayed: replayed || null, cursor: next })} />`}<//><//>`;
}
