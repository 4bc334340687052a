/** The parts of an answer that cannot be read as a whole. @internal */

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/gs;

/** The texts of the members of an object. @throws SyntaxError @internal */
export function membersOf(text: string): Map<string, string> {
  return new Map(partsOf(text, "{", "}").map((part) => {
    const [, name, value] = /^("[^"\\]*(?:\\.[^"\\]*)*")\s*:\s*(.*)$/s.exec(part) ?? [];
    if (name === undefined || value === undefined) {
      throw new SyntaxError("a member of an object has no name");
    }
    return [JSON.parse(name) as string, value];
  }));
}

/** The texts of the elements of an array. @throws SyntaxError @internal */
export function elementsOf(text: string): string[] {
  return partsOf(text, "[", "]");
}

/** What is between the commas of the outermost object or array. */
function partsOf(whole: string, opening: string, closing: string): string[] {
  const text = whole.trim();
  if (!text.startsWith(opening) || !text.endsWith(closing)) {
    throw new SyntaxError("neither an object nor an array, or not to its end");
  }
  const parts: string[] = [];
  let depth = 0;
  let start = 1;
  for (const token of text.matchAll(TOKEN)) {
    const kind = token[0];
    depth += kind === "[" || kind === "{" ? 1 : kind === "]" || kind === "}" ? -1 : 0;
    if ((depth === 1 && kind === ",") || depth === 0) {
      const part = text.slice(start, token.index).trim();
      if (part !== "" || parts.length > 0) {
        parts.push(part);
      }
      start = token.index + 1;
    }
    if (depth === 0) {
      break;
    }
  }
  return parts;
}

/** Whether there is a number that JavaScript has read as infinity. @internal */
export function isBeyondNumbers(document: unknown): boolean {
  const left: unknown[] = [document];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === "number" && !Number.isFinite(value)) {
      return true;
    }
    if (typeof value === "object" && value !== null) {
      for (const member of Object.values(value)) {
        left.push(member);
      }
    }
  }
  return false;
}
