/**
 * Limits that Cloudflare documents and the local runtime does not keep: developers.cloudflare.com/d1/platform/limits.
 * The whole suite runs under them. What passes one fails as it would there, and fails its test file even if the Worker
 * has caught the error.
 */
const MOST_ARGUMENTS = 32;
const MOST_PARAMETERS = 100;
const MOST_STATEMENT_BYTES = 100_000;
/** Of a text, a blob, and a row. */
const MOST_VALUE_BYTES = 2_000_000;

/** What the Worker logs when it passes 1,000 statements: only it knows which of them an invocation has sent. */
const TOO_MANY_STATEMENTS = "more than 1,000 statements in an invocation";

/** The functions of SQLite that take any number of arguments. */
const VARIADIC = new RegExp(
  "\\b(?:char|coalesce|concat|concat_ws|format|iif|max|min|printf|" +
    "jsonb?_(?:array|extract|insert|object|remove|replace|set))\\s*\\(",
  "gi",
);

const passed: string[] = [];

/** Returns the limits that were passed since the last call. */
export const passedLimits = (): string[] => passed.splice(0);

function refuse(limit: string, query: string): never {
  passed.push(`${limit}: ${query.slice(0, 200)}`);
  throw new Error(`D1_ERROR: ${limit}: SQLITE_ERROR`);
}

/** Takes note of a log line of the Worker. */
export function noteLine(line: string): void {
  if (line.includes(TOO_MANY_STATEMENTS)) passed.push(line);
}

/** How many arguments stand from the "(" at `open` on. Texts and names in quotes can have commas and parentheses. */
function argumentsFrom(query: string, open: number): number {
  let [depth, count, quote] = [0, 1, ""];
  for (const character of query.slice(open)) {
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (`'"\``.includes(character)) quote = character;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (character === "," && depth === 1) count += 1;
    if (depth === 0) return count;
  }
  return count;
}

function checkText(query: string): void {
  if (query.length > MOST_STATEMENT_BYTES) refuse("statement too long", query);
  for (const { 0: name, index } of query.matchAll(VARIADIC)) {
    const count = argumentsFrom(query, index + name.length - 1);
    if (count > MOST_ARGUMENTS) refuse(`too many arguments on function ${name.slice(0, -1)}`, query);
  }
}

/** An estimate for texts that cannot be too long: a character takes at most three bytes. */
function bytesOf(value: unknown): number {
  if (typeof value === "string") {
    return value.length * 3 <= MOST_VALUE_BYTES ? value.length : new TextEncoder().encode(value).length;
  }
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? value.byteLength : 8;
}

function checkValues(query: string, values: readonly unknown[]): void {
  if (values.length > MOST_PARAMETERS) refuse("too many SQL variables", query);
  let sum = 0;
  for (const value of values) {
    const bytes = bytesOf(value);
    if (bytes > MOST_VALUE_BYTES) refuse("string or blob too big", query);
    sum += bytes;
  }
  // A statement without a list writes its values into one row.
  if (sum > MOST_VALUE_BYTES && !query.includes("json_each")) refuse("row too big", query);
}

const checked = new Set<string>();
const textOf = new WeakMap<D1PreparedStatement, string>();

/** Keeps the limits for every database of this isolate, and for all that runs in it. */
export function keepPlatformLimits(database: D1Database): void {
  if (checked.size > 0) return;
  const prototype: D1Database = Object.getPrototypeOf(database);
  const statement: D1PreparedStatement = Object.getPrototypeOf(database.prepare("SELECT 1"));
  const [prepare, bind] = [prototype.prepare, statement.bind];
  checked.add("SELECT 1");
  prototype.prepare = function (query) {
    if (!checked.has(query)) {
      checkText(query);
      checked.add(query);
    }
    const prepared = prepare.call(this, query);
    textOf.set(prepared, query);
    return prepared;
  };
  statement.bind = function (...values) {
    checkValues(textOf.get(this) ?? "", values);
    return bind.apply(this, values);
  };
}
