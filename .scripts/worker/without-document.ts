/**
 * Leaves out of a source file what only the OpenAPI document and the operations page say. Both are files beside the
 * Worker, which are made of the whole sources, so the Worker never reads these texts.
 */
import { type ESTree, parseSync, Visitor } from "rolldown/utils";

interface Part {
  start: number;
  end: number;
}

/** What is left out of an object that has all members of `has`. */
const KINDS = [
  // An endpoint.
  { has: ["id", "summary"], without: ["summary", "description", "errors", "answers"] },
  // A setting.
  { has: ["must", "description"], without: ["description"] },
  // An option of deliveries, and one that is a choice.
  { has: ["description", "byDefault"], without: ["description", "values", "byDefault", "examples"] },
  { has: ["description", "choices"], without: ["description"] },
  // A line of the log.
  { has: ["level", "meaning"], without: ["meaning", "advice"] },
] as const;
/** A look without the parser. */
const MAY_HAVE_PARTS = /\.meta\(|\bsummary:|\bmeaning:|\bmust:|\bdescription\b|\bdescribeRoute\(/;

/** The text of a TypeScript file without these parts. Its lines keep their numbers. */
export function withoutDocument(path: string, text: string): string {
  if (!MAY_HAVE_PARTS.test(text)) return text;
  let rest = "";
  let from = 0;
  for (const { start, end } of partsOf(path, text)) {
    // Within a part that has been left out.
    if (start < from) continue;
    rest += text.slice(from, start) + text.slice(start, end).replaceAll(/[^\n]+/g, "");
    from = end;
  }
  return rest + text.slice(from);
}

function partsOf(path: string, text: string): Part[] {
  const { program, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const parts: Part[] = [];
  new Visitor({
    CallExpression: (call) => parts.push(...partsOfCall(call)),
    ObjectExpression: (object) => parts.push(...partsOfObject(object, text)),
  }).visit(program);
  return parts.sort((one, other) => one.start - other.start);
}

/** All of `.meta({…})`, and what follows the id in `describeRoute(id, …)`. */
function partsOfCall({ callee, arguments: given, end }: ESTree.CallExpression): Part[] {
  const [first] = given;
  if (!first) return [];
  if (callee.type === "Identifier" && callee.name === "describeRoute") return [{ start: first.end, end: end - 1 }];
  const isMeta = callee.type === "MemberExpression" && nameOf(callee.property) === "meta";
  return isMeta && first.type === "ObjectExpression" ? [{ start: callee.object.end, end }] : [];
}

function partsOfObject({ properties }: ESTree.ObjectExpression, text: string): Part[] {
  const members = properties.filter((one) => one.type === "Property");
  const has = new Set(members.map(({ key }) => nameOf(key)));
  const without = KINDS.find((kind) => kind.has.every((name) => has.has(name)))?.without ?? [];
  return members
    .filter(({ key }) => without.some((name) => name === nameOf(key)))
    .map(({ start, end }) => ({ start, end: end + (/^\s*,/.exec(text.slice(end))?.[0].length ?? 0) }));
}

const nameOf = (key: ESTree.PropertyKey): string | undefined => (key.type === "Identifier" ? key.name : undefined);
