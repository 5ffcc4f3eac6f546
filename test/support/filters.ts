/** A second evaluator of filters, which the tests compare with the first. It reads the filter as it is, unparsed. */

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Every path of a document with the value there, by names; an element of a list also without its index. */
function* places(value: unknown, names: string[] = []): Generator<[string, unknown]> {
  yield [JSON.stringify(names), value];
  if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      yield* places(element, [...names, String(index)]);
      // Only what is below an element: the element itself has the index in its path.
      for (const [path, found] of places(element, names)) {
        const rest = (JSON.parse(path) as string[]).slice(names.length);
        if (rest[0] !== undefined && !/^\d+$/.test(rest[0])) yield [path, found];
      }
    }
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) yield* places(member, [...names, name]);
  }
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : isObject(value)
      ? Object.entries(value)
          .map(([name, member]) => [name, sorted(member)])
          .sort()
      : value;
const text = (value: unknown) => `${isObject(value)}${JSON.stringify(sorted(value))}`;

function compare(operator: string, operand: unknown, value: unknown): boolean {
  const [both, a, b] = [typeof value === typeof operand, value as string, operand as string];
  const isOrdered = both && (typeof value === "string" || typeof value === "number");
  if (operator === "$eq" || operator === "$ne") return text(value) === text(operand);
  if (operator === "$in" || operator === "$nin") return (operand as unknown[]).some((one) => text(one) === text(value));
  if (operator === "$gt") return isOrdered && a > b;
  if (operator === "$lte") return isOrdered && a <= b;
  if (operator === "$startsWith") return isOrdered && a.indexOf(b) === 0;
  return isOrdered && a.includes(b);
}

/** Whether the filter, whose paths have no escapes, lets the event through. */
export function evaluated(filter: Json, subject: object, at: string[] = []): boolean {
  return Object.entries(filter).every(([key, operand]) => {
    if (key === "$and") return (operand as Json[]).every((one) => evaluated(one, subject, at));
    if (key === "$or") return (operand as Json[]).some((one) => evaluated(one, subject, at));
    if (key === "$not") return !evaluated(operand as Json, subject, at);
    if (!key.startsWith("$")) {
      const names = [...at, ...key.split(".")];
      return evaluated(isObject(operand) ? operand : { $eq: operand }, subject, names);
    }
    const found = [...places(subject)].filter(([path]) => path === JSON.stringify(at)).map(([, value]) => value);
    if (key === "$exists") return found.length > 0 === operand;
    const any = [...found, ...found.flatMap((one) => (Array.isArray(one) ? one : []))].some((one) =>
      compare(key, operand, one),
    );
    return key === "$ne" || key === "$nin" ? !any : any;
  });
}
