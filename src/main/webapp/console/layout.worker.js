// Places the nodes of graphs in a thread of its own, so that the page stays usable meanwhile.
import * as dagre from "./vendor/dagre.js";
import { place } from "./layout.js";

onmessage = ({ data: { id, nodes } }) => {
  try {
    postMessage({ id, layout: place(dagre, nodes) });
  } catch (fault) {
    postMessage({ id, fault: String(fault) });
  }
};
