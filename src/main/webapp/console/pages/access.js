// Users, API keys, and what they may do.
import { html, useState } from "../dom.js";
import { change, get, mayEverywhere, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Action, Loaded, PageHead, Panel, Secret, Table, Time } from "../ui/index.js";

/** What a user or key may do; each grant can be revoked, and another one added. */
const Grants = ({ of, name, to, roles, isAllowed, onDone }) => html`${of.map((grant) => html`<div class="small row" key=${grant.grant_uuid} data-grant=${grant.grant_uuid}>${grant.role ?? grant.permission} <span class="quiet">${grant.namespace ?? t.access.allNamespaces}</span>
    <${Action} label=${t.access.revokeGrantShort} title=${t.access.revokeGrant(grant.role ?? grant.permission, name)} confirm=${t.access.revokeGrantDo} sentence=${t.access.revokeGrantSentence(name)} isDangerous withReason=${false} isAllowed=${isAllowed} onDone=${onDone} send=${() => change("DELETE", `v1/access/grants/${grant.grant_uuid}`)} /></div>`)}
  <${Action} label=${t.access.addGrant} title=${t.access.grantTo(name)} sentence=${t.access.addGrantSentence(name)} withReason=${false} isAllowed=${isAllowed} onDone=${onDone}
    fields=${[{ name: "role", label: t.access.role, kind: "select", options: roles, value: roles.includes("viewer") ? "viewer" : roles[0] }, { name: "namespace", label: t.tasks.namespace, hint: t.access.namespaceHint }]}
    send=${({ role, namespace }) => change("POST", "v1/access/grants", { ...to, role, ...(namespace && { namespace: namespace.trim() }) })} />`;

export default function Access() {
  const users = useLoad((signal) => get("v1/access/users", {}, signal), []);
  const keys = useLoad((signal) => get("v1/access/keys", {}, signal), []);
  const roles = useLoad((signal) => get("v1/access/roles", {}, signal), []);
  const [secret, set] = useState(null);
  const isAllowed = mayEverywhere("security:manage");
  const names = (roles.data?.roles ?? []).map((role) => role.role ?? role.name);
  const grantee = [{ name: "name", label: t.name, required: true }, { name: "role", label: t.access.role, kind: "select", options: names, value: names.includes("viewer") ? "viewer" : names[0] }, { name: "namespace", label: t.tasks.namespace, hint: t.access.namespaceHint }];
  const grants = ({ role, namespace }) => [{ role, ...(namespace ? { namespace } : {}) }];
  return html`<${PageHead} title=${t.pages.access} />${secret && html`<${Secret} ...${secret} onClose=${() => set(null)} />`}
    <${Panel} flat title=${t.access.users}><div class="row">${names.length > 0 && html`<${Action} label=${t.access.newUser} sentence="" withReason=${false} isAllowed=${isAllowed} fields=${grantee}
        send=${(values) => change("POST", "v1/access/users", { name: values.name, grants: grants(values) })}
        onDone=${(user) => { set({ sentence: t.access.passwordIs(user.password), text: user.password }); users.reload(); }} />`}</div>
      <${Loaded} of=${users}>${({ users: all }) => html`<${Table} label=${t.access.users} head=${[t.name, t.task.state, t.access.grants, t.access.created, t.task.act]}>${all.map((user) => html`<tr key=${user.user_uuid} data-user=${user.name}><td>${user.name}</td>
        <td>${user.enabled ? t.access.enabled : t.access.disabled}</td><td><${Grants} of=${user.grants} name=${user.name} to=${{ user_uuid: user.user_uuid }} roles=${names} isAllowed=${isAllowed} onDone=${users.reload} /></td><td><${Time} at=${user.created_at} /></td>
        <td><${Action} label=${user.enabled ? t.access.disable : t.access.enable} of=${user.name} kind=${t.access.kind} sentence=${(user.enabled ? t.access.disableSentence : t.access.enableSentence)(user.name)} isDangerous=${user.enabled} withReason=${false} isAllowed=${isAllowed} onDone=${users.reload}
          send=${() => change("PATCH", `v1/access/users/${user.user_uuid}`, { enabled: !user.enabled })} /></td></tr>`)}<//>`}<//><//>
    <${Panel} flat title=${t.access.keys}><div class="row">${names.length > 0 && html`<${Action} label=${t.access.newKey} sentence="" withReason=${false} isAllowed=${isAllowed} fields=${[...grantee, { name: "days", label: t.access.days, kind: "number", hint: t.access.daysHint }]}
        send=${(values) => change("POST", "v1/access/keys", { name: values.name, grants: grants(values), ...(values.days ? { expires_in_seconds: 86_400 * Number(values.days) } : {}) })}
        onDone=${(key) => { set({ sentence: t.access.keyIs(key.key), text: key.key }); keys.reload(); }} />`}</div>
      <${Loaded} of=${keys}>${({ keys: all }) => html`<${Table} label=${t.access.keys} head=${[t.name, t.task.state, t.access.grants, t.access.created, t.access.expires, t.task.act]}>${all.map((key) => html`<tr key=${key.key_uuid} data-key=${key.key_uuid}><td>${key.name} <span class="mono quiet">${key.hint}…</span></td>
        <td>${key.revoked_at ? t.access.revoked : t.access.enabled}</td><td><${Grants} of=${key.grants} name=${key.name} to=${{ key_uuid: key.key_uuid }} roles=${names} isAllowed=${isAllowed && !key.revoked_at} onDone=${keys.reload} /></td><td><${Time} at=${key.created_at} /></td><td><${Time} at=${key.expires_at} /></td>
        <td>${!key.revoked_at && html`<${Action} label=${t.access.revoke} of=${key.name} kind=${t.access.kindOfKey} sentence=${t.access.revokeSentence(key.name)} isDangerous withReason=${false} isAllowed=${isAllowed} onDone=${keys.reload} send=${() => change("DELETE", `v1/access/keys/${key.key_uuid}`)} />`}</td></tr>`)}<//>`}<//><//>`;
}
