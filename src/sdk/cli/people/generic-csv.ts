/** Any CSV, or JSON, whose columns the command names: `--columns email=Mail,password=hash`. */
import { usage } from "../failure";
import { addressIn, type Converter, type ImportedPerson, type LeaveOut, notUnderstood } from "./converter";
import { type Exported, Fields, isRecord, textOf } from "./fields";
import { passwordOf } from "./password";
import { recordsOf } from "./records";
import { createdAtOf, idOf, isProven, isTrue, nameOf, restricts, restrictsUntil, totpOf } from "./values";

/** What a column can be named as. */
export const COLUMN_FIELDS = [
  "email",
  "externalId",
  "emailVerified",
  "name",
  "firstName",
  "lastName",
  "createdAt",
  "password",
  "totp",
  "suspended",
  "suspendedUntil",
  "active",
] as const;

type Columns = Partial<Record<(typeof COLUMN_FIELDS)[number], string>>;

/** A converter for these columns. Throws Failure for columns that are not named rightly. */
export function csvWith(given: string | undefined): Converter {
  const columns = columnsOf(given);
  return function* (text, leaveOut) {
    const missing = new Set(Object.values(columns));
    let first: Fields | undefined;
    for (const record of recordsOf(text)) {
      const row = flat(record);
      first ??= row;
      for (const column of missing) if (valueIn(row.record, column) !== undefined) missing.delete(column);
      const person = personOf(row, columns, leaveOut);
      if (person) yield person;
    }
    if (first && missing.size > 0) throw notUnderstood([`column ${[...missing].join(", ")}`], first.names);
  };
}

/** Django's `dumpdata` has the columns of a row in `fields`. */
const flat = (row: Fields): Fields =>
  isRecord(row.record.fields) ? new Fields({ ...row.record, ...row.record.fields }) : row;

/** The value of a column, or of JSON at a path such as `traits.email` or `emails.0.value`. */
function valueIn(record: Exported, column: string): unknown {
  if (Object.hasOwn(record, column)) return record[column];
  return column
    .split(".")
    .reduce<unknown>(
      (value, name) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, name)
          ? (value as Exported)[name]
          : undefined,
      record,
    );
}

function personOf({ record }: Fields, columns: Columns, leaveOut: LeaveOut): ImportedPerson | undefined {
  const members = Object.entries(columns).map(([field, column]) => [field, valueIn(record, column)]);
  const user = new Fields(Object.fromEntries(members));
  const email = addressIn(user, ["email"], leaveOut);
  if (email === undefined) return undefined;
  return {
    email,
    externalId: idOf(user.text("externalId"), leaveOut),
    emailVerified: isProven(user.get("emailVerified")),
    name: nameOf([user.text("name"), user.text("firstName"), user.text("lastName")], leaveOut),
    createdAt: createdAtOf(user.get("createdAt"), leaveOut),
    suspended: isSuspended(user) ? true : undefined,
    password: passwordOf(user.get("password"), leaveOut),
    totp: totpOf(user.get("totp"), leaveOut),
  };
}

const isSuspended = (user: Fields): boolean =>
  restricts(user.get("suspended")) ||
  restrictsUntil(user.get("suspendedUntil")) ||
  (user.has("active") && !isActive(user.get("active")));

/** Whether a value says yes, or is the state of somebody who may sign in: `ACTIVE`, `USER_STATE_ACTIVE`. */
const isActive = (value: unknown): boolean => isTrue(value) || /^(?:.*_)?active$|^enabled$/i.test(textOf(value) ?? "");

function columnsOf(given: string | undefined): Columns {
  const columns: Columns = {};
  for (const part of (given ?? "").split(",")) {
    const [, name, column] = part.match(/^\s*(\w+)\s*=\s*(.*\S)\s*$/) ?? [];
    const field = COLUMN_FIELDS.find((one) => one === name);
    if (!field || !column) throw usage(`--columns has pairs such as email=Mail, of: ${COLUMN_FIELDS.join(", ")}.`);
    columns[field] = column;
  }
  if (!columns.email) throw usage("--columns must name the column of the address: email=…");
  return columns;
}
