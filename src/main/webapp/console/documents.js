// Documents of tasks and steps: small ones as they came, of long ones the beginning, and all of it as a file.
import { html, useState } from "./dom.js";
import { get, parseExact, useLoad } from "./core.js";
import { t } from "./texts.js";
import { download, ErrorNote, Json, Loaded, size, Text } from "./ui/index.js";

/** Longer documents do not come with their task or step. */
export const MOST_BYTES = 65_536;
const PREVIEW = 16_384;
const PART = 1_048_576;
/** What a browser still shows as one text; longer ones are for a file. */
const MOST_SHOWN = 5 * 1_048_576;

/** The whole text, part by part, as the server has it. */
async function whole(path, params) {
  const parts = [];
  for (let offset = 0; offset !== null; ) {
    const part = await get(path, { ...params, offset, limit: PART });
    parts.push(part.text);
    offset = part.next_offset;
  }
  return parts;
}

function Long({ path, params, bytes, name, label }) {
  const part = useLoad((signal) => get(path, { ...params, limit: PREVIEW }, signal), [path, JSON.stringify(params), bytes]);
  const [all, setAll] = useState(null);
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const withAll = (what) => async () => {
    busy(true);
    setError(null);
    try {
      what(await whole(path, params));
    } catch (refused) {
      setError(refused);
    }
    busy(false);
  };
  if (all !== null) return html`<${Text} text=${all} name=${`${name}.json`} label=${label ?? name} isWhole />`;
  return html`<div data-document=${name}><div class="row"><span class="quiet small">${size(bytes)}</span><button type="button" disabled=${isBusy} onClick=${withAll((parts) => download(parts, `${name}.json`))}>${t.download}</button>
      ${bytes <= MOST_SHOWN && html`<button type="button" disabled=${isBusy} onClick=${withAll((parts) => setAll(JSON.stringify(parseExact(parts.join("")), null, 2)))}>${t.showAll(size(bytes))}</button>`}</div>
    ${error && html`<${ErrorNote} error=${error} />`}
    <${Loaded} of=${part}>${(found) => html`<p class="quiet small">${t.documents.beginning(size(PREVIEW))}</p><pre tabindex="0" role="region" aria-label=${label ?? name}>${found.text}${found.next_offset !== null && " …"}</pre>`}<//></div>`;
}

/** Where a document of a step is, for Document. */
export const ofStep = (task, step, kind, of = step) => ({ value: of[kind], bytes: of.document_bytes[kind], path: `v1/tasks/${task.task_uuid}/workflow_steps/${step.step_uuid}/documents/${kind}` });

/** path: where it can be read in parts; bytes: its size, when it is there. */
export const Document = ({ value, bytes, path, params = {}, name, label }) => (bytes > MOST_BYTES && value === null
  ? html`<${Long} path=${path} params=${params} bytes=${bytes} name=${name} label=${label} />` : html`<${Json} value=${value} name=${name} label=${label} />`);
