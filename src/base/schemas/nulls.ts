/** Members that are null where they may be missing. */
import type { ZodError, ZodType } from "zod";

/** More than a body can have by mistake; each costs a walk along its path. */
const MAX_NULLS = 100;

type Parsed<Output> = { success: true; data: Output } | { success: false; error: Pick<ZodError, "issues"> };

/**
 * Parses a value. Null counts as missing wherever the schema knows no null: Java, Kotlin, C# and Dart print absent
 * members so. `value` is changed.
 */
export async function parseWithNulls<Output, Input>(
  schema: ZodType<Output, Input>,
  value: unknown,
): Promise<Parsed<Output>> {
  const first = await schema.safeParseAsync(value);
  if (first.success) return first;
  const { issues } = first.error;
  const removed = issues.length > MAX_NULLS ? [] : issues.filter(({ path }) => removeNull(value, path));
  if (removed.length === 0) return first;
  const second = await schema.safeParseAsync(value);
  if (second.success) return second;
  // A required member was sent, as null.
  const nulls = new Map(removed.map((issue) => [issue.path.join("."), issue]));
  return { success: false, error: { issues: second.error.issues.map((one) => nulls.get(one.path.join(".")) ?? one) } };
}

/** Removes the member if it is null. Elements of a list stay: the others would move. */
function removeNull(root: unknown, path: readonly PropertyKey[]): boolean {
  const parent = path.slice(0, -1).reduce<unknown>((value, name) => membersOf(value)?.[name], root);
  const [members, name] = [membersOf(parent), path.at(-1)];
  if (!members || name === undefined || Array.isArray(parent) || members[name] !== null) return false;
  delete members[name];
  return true;
}

const membersOf = (value: unknown) =>
  typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>) : null;
