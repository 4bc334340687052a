// What needs a person, as numbers beside the entries of the navigation.
import { get, may, useLoad } from "./core.js";
import { useNamespace } from "./namespaces.js";

const EVERY = 30_000;

/** {page: number, more: {page: whether there are more}}; what the reader may not see, and what cannot be counted at present, is not there. */
export function useNeeds() {
  const namespace = useNamespace();
  const found = useLoad(async (signal) => {
    const [blocked, open] = await Promise.all([
      may("tasks:list") ? get("v1/tasks:count", { state: "blocked_by_failures", namespace }, signal).catch(() => null) : null,
      may("approvals:read") ? get("v1/approvals", { state: "open", namespace, limit: 25 }, signal).catch(() => null) : null,
    ]);
    return { ...(blocked && { failures: blocked.count }), ...(open && { approvals: open.approvals.length, more: { approvals: !!open.next } }) };
  }, [namespace], EVERY);
  return found.data ?? {};
}
