// Queues: what waits in each, and since when.
import { html } from "../dom.js";
import { get, link, mayEverywhere, setParams, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Ago, Empty, Loaded, PageHead, Panel, Part, span, Table, Tabs, Toolbar } from "../ui/index.js";

const EVERY = 5_000;

/** Queues, and the messages that no queue could deliver. */
export const QueueTabs = ({ current }) => html`<${Tabs} label=${t.pages.queues} current=${current} of=${[...(mayEverywhere("system:servers_read") ? [["queues", t.pages.queues, link("queues")]] : []), ...(mayEverywhere("messages:read") ? [["deadMessages", t.pages.deadMessages, link("deadMessages")]] : [])]} />`;

export default function Queues({ params }) {
  const queues = useLoad((signal) => get("v1/queues", {}, signal), [], EVERY);
  const sought = params.get("q") ?? "";
  const isAll = params.get("all") === "true";
  return html`<${PageHead} title=${t.pages.queues} /><${QueueTabs} current="queues" />
    <${Loaded} of=${queues}>${({ queues: all }) => {
      const busy = all.filter((queue) => queue.queue_length > 0 || queue.parked > 0);
      const shown = (isAll ? all : busy).filter((queue) => queue.queue_name.includes(sought)).sort((a, b) => (b.oldest_msg_age_seconds ?? -1) - (a.oldest_msg_age_seconds ?? -1) || a.queue_name.localeCompare(b.queue_name));
      return html`<${Panel} flat><${Toolbar}><input type="search" name="q" aria-label=${t.servers.queue} placeholder=${t.servers.findQueue} value=${sought} onInput=${(e) => setParams({ q: e.target.value.trim(), page: null })} />
        <label><input type="checkbox" name="all" checked=${isAll} onChange=${(e) => setParams({ all: e.target.checked ? "true" : null, page: null })} /> ${t.servers.emptyToo(all.length - busy.length)}</label><//>
        ${shown.length === 0 ? html`<${Empty} icon="queues" title=${t.overview.queuesIdle} />` : html`<${Part} of=${shown} params=${params}>${(part) => html`<${Table} label=${t.servers.queues} head=${[t.servers.queue, t.servers.length, t.servers.oldest, t.servers.parked]}>${part.map((queue) => html`<tr key=${queue.queue_name}>
          <td class="mono">${queue.queue_name}</td><td>${queue.queue_length.toLocaleString()}</td><td>${queue.oldest_msg_age_seconds !== null && span(1000 * queue.oldest_msg_age_seconds)}</td>
          <td>${queue.parked > 0 && html`<a class="f-failed" href=${link("deadMessages")}>${queue.parked.toLocaleString()}</a>${queue.parked_since && html` <span class="quiet small"><${Ago} at=${queue.parked_since} /></span>`}`}</td></tr>`)}<//>`}<//>`}<//>`;
    }}<//>`;
}
