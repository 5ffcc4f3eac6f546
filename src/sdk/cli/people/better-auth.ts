/** better-auth: its tables `user` and `account` as `{ "user": […], "account": […] }`. */
import { EXIT, Failure } from "../failure";
import { addressIn, type Converter, converterOf, type LeaveOut, notUnderstood } from "./converter";
import { Fields, isRecord, recordsIn } from "./fields";
import { passwordOf } from "./password";
import { wholeJson } from "./records";
import { createdAtOf, identityOf, idOf, isTrue, nameOf, restricts, restrictsUntil, someOf } from "./values";

type Accounts = ReadonlyMap<string | undefined, Fields[]>;

export const betterAuth: Converter = function* (text, leaveOut) {
  const exported = wholeJson(text);
  const tables = new Fields(isRecord(exported) ? exported : {});
  if (!tables.has("user", "users")) throw notUnderstood(["table user"], tables.names);
  const accounts = accountsOf(tables, leaveOut);
  for (const _ of rowsOf(tables, "two_factor", "two_factors")) leaveOut("second factors");
  for (const _ of rowsOf(tables, "passkey", "passkeys")) leaveOut("passkeys");
  const users = converterOf({
    address: ["email"],
    proof: ["email_verified"],
    read: () => rowsOf(tables, "user", "users"),
    convert: (user) => personOf(user, accounts, leaveOut),
  });
  yield* users(text, leaveOut);
};

/** The rows of a table. Tools of databases wrap them in an object. */
function rowsOf(tables: Fields, ...names: string[]): Fields[] {
  const [table] = [tables.get(...names)];
  if (table === undefined) return [];
  const rows = isRecord(table) ? (table.results ?? table.rows) : table;
  if (!Array.isArray(rows)) throw new Failure(EXIT.failed, `The table ${names[0]} is not a list of rows.`);
  return recordsIn(rows);
}

function accountsOf(tables: Fields, leaveOut: LeaveOut): Accounts {
  if (!tables.has("account", "accounts")) leaveOut("passwords and sign-ins, because the file has no table account");
  const rows = rowsOf(tables, "account", "accounts");
  for (const column of ["user_id", "provider_id"]) {
    if (rows[0] && !rows.some((row) => row.has(column))) throw notUnderstood([`account.${column}`], rows[0].names);
  }
  return Map.groupBy(rows, (row) => row.text("user_id"));
}

function personOf(user: Fields, accounts: Accounts, leaveOut: LeaveOut) {
  const email = addressIn(user, ["email"], leaveOut);
  if (email === undefined) return undefined;
  const id = user.text("id");
  const own = (id === undefined ? undefined : accounts.get(id)) ?? [];
  const credential = own.find((one) => one.text("provider_id") === "credential");
  const identities = own
    .filter((one) => one !== credential)
    .flatMap((one) => {
      const [provider, subject] = [one.text("provider_id"), one.text("account_id")];
      return identityOf({ provider, subject, email: undefined }, leaveOut);
    });
  return {
    email,
    emailVerified: isTrue(user.get("email_verified")),
    externalId: idOf(id, leaveOut),
    name: nameOf([user.text("name")], leaveOut),
    createdAt: createdAtOf(user.get("created_at"), leaveOut),
    suspended: isBanned(user) ? true : undefined,
    password: passwordOf(credential?.get("password"), leaveOut),
    identities: someOf(identities),
  };
}

/** A ban without an end lasts. Nothing there writes back that one has ended. */
const isBanned = (user: Fields): boolean =>
  restricts(user.get("banned")) && (user.get("ban_expires") === undefined || restrictsUntil(user.get("ban_expires")));
