/**
 * The table of what a PATCH of a person tolerates, row by row, as directories send it to the route. `recorded.test` has
 * the rows that belong to the course of a directory: "Replace", "True" and "False", and an address that is there.
 */
import { beforeAll, expect, test } from "vitest";
import { ENTERPRISE } from "../../src/directory/protocol/kinds";
import { bring, type Directory, newDirectory, scim } from "../support/scim";
import { one } from "../support/signed-on";

const PATCH_OP = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
/** Okta and Entra send the first type, OneLogin and others the second. */
const [SCIM_TYPE, JSON_TYPE] = ["application/scim+json; charset=utf-8", "application/json"];

type Resource = Awaited<ReturnType<typeof bring>>;
type Sent = (user: Resource) => object;
const operations =
  (...Operations: object[]): Sent =>
  () => ({ schemas: PATCH_OP, Operations });
const replace = (value: object): Sent => operations({ op: "replace", value });
const manager = (op: string, value: unknown): Sent => operations({ op, path: `${ENTERPRISE}:manager`, value });

const SALES = { department: "Sales" };
const MANAGED = { [ENTERPRISE]: { ...SALES, manager: { value: "7", displayName: "Bo" } } };
const HOME = { value: "home@else.example", type: "home" };

let directory: Directory;
beforeAll(async () => {
  directory = await newDirectory();
});

async function storedOf({ id }: Resource) {
  const row = await one<{ record: string; version: number }>(
    "SELECT record, version FROM directory_users WHERE connection_id = ? AND id = ?",
    directory.connection.id,
    id,
  );
  return { record: JSON.parse(row?.record ?? "{}"), version: row?.version };
}

const patch = ({ id }: Resource, body: object, type = SCIM_TYPE, query = "") =>
  scim(directory, "PATCH", `/Users/${id}${query}`, { body, headers: { "content-type": type } });

/** What of a resource is kept. */
const keptOf = ({ schemas, id, meta, ...kept }: Resource) => kept;

type Tolerated = [what: string, has: object, sent: Sent, changes: (user: Resource) => object, type?: string];

test.each<Tolerated>([
  [
    "a verb in capitals, `operations`, and no schemas",
    {},
    () => ({ operations: [{ op: "REPLACE", path: "title", value: "Admiral" }] }),
    () => ({ title: "Admiral" }),
    JSON_TYPE,
  ],
  ['"true" in lower case', { active: false }, replace({ active: "true" }), () => ({ active: true })],
  [
    "a truth value in quotes in a selection",
    {},
    ({ userName }) =>
      operations({ op: "Replace", path: 'emails[primary eq "true"].value', value: `new-${userName}` })(userName),
    ({ userName, emails }) => ({ emails: [{ ...emails[0], value: `new-${userName}` }] }),
  ],
  [
    "no path, and keys with dots and with the URN of the extension",
    {},
    replace({ displayName: "Bjfe", "name.givenName": "Kkom", [`${ENTERPRISE}:department`]: "Sales" }),
    ({ name }) => ({ displayName: "Bjfe", name: { ...name, givenName: "Kkom" }, [ENTERPRISE]: SALES }),
  ],
  [
    "no path, and a selection as a key",
    {},
    operations({ op: "Add", value: { 'emails[type eq "home"].value': HOME.value } }),
    ({ emails }) => ({ emails: [...emails, HOME] }),
  ],
  [
    "an address of a type that none has",
    {},
    operations({ op: "Replace", path: 'emails[type eq "home"].value', value: HOME.value }),
    ({ emails }) => ({ emails: [...emails, HOME] }),
  ],
  ["a list of one for one value", {}, operations({ op: "add", path: "title", value: ["A"] }), () => ({ title: "A" })],
  ["a manager as a text", {}, manager("Add", "9"), () => ({ [ENTERPRISE]: { manager: { value: "9" } } })],
  [
    "a manager as an object",
    MANAGED,
    manager("replace", { value: "9", $ref: null }),
    () => ({ [ENTERPRISE]: { ...SALES, manager: { value: "9" } } }),
  ],
  ["no manager, as an empty text", MANAGED, manager("Replace", ""), () => ({ [ENTERPRISE]: SALES })],
  ["no manager, as null", MANAGED, manager("replace", null), () => ({ [ENTERPRISE]: SALES })],
])("%s", async (_, has, sent, changes, type) => {
  const user = await bring(directory, { ...has });
  const { status, headers, body } = await patch(user, sent(user), type, "?aadOptscim062020");
  expect([status, headers.get("content-type"), headers.get("etag")]).toEqual([200, "application/scim+json", 'W/"2"']);
  const expected = { ...keptOf(user), ...changes(user) };
  expect(keptOf(body)).toEqual(expected);
  expect(await storedOf(user)).toEqual({ record: expected, version: 2 });
});

test.each<[what: string, has: object, sent: Sent, type?: string]>([
  [
    "addresses and telephones, which are not kept",
    {},
    operations(
      { op: "Add", path: 'addresses[type eq "work"].streetAddress', value: "1 Way" },
      { op: "Add", path: 'phoneNumbers[type eq "work"].value', value: "1" },
    ),
  ],
  ["an addition twice", {}, ({ emails }) => operations({ op: "add", path: "emails", value: emails })({}), JSON_TYPE],
  [
    "a removal of what is not there",
    {},
    operations({ op: "remove", path: 'emails[type eq "home"]' }, { op: "Remove", path: "title" }),
  ],
  ["a removal of `active`", {}, operations({ op: "remove", path: "active" })],
  ["`id` and `meta` as they are, and no groups", {}, ({ id, meta }) => replace({ id, meta, groups: [] })({})],
  ["no operation at all", {}, operations(), JSON_TYPE],
])("%s writes nothing", async (_, has, sent, type) => {
  const user = await bring(directory, { ...has });
  const before = await storedOf(user);
  const { status, body } = await patch(user, sent(user), type);
  expect([status, body]).toEqual([200, user]);
  expect(await storedOf(user)).toEqual({ ...before, version: 1 });
});

/** The title before it is right, and is not written either. */
test.each<[what: string, change: object, scimType: string]>([
  ["another text for a truth value", { op: "replace", path: "active", value: "yes" }, "invalidValue"],
  ["two values for one", { op: "replace", path: "displayName", value: ["A", "B"] }, "invalidValue"],
  ["another id", { op: "replace", value: { id: crypto.randomUUID() } }, "mutability"],
  ["another version", { op: "replace", path: "meta", value: { version: 'W/"9"' } }, "mutability"],
  ["other groups", { op: "replace", path: "groups", value: [{ value: "g" }] }, "mutability"],
])("refuses %s with all that comes with it", async (_, change, scimType) => {
  const user = await bring(directory);
  const before = await storedOf(user);
  const { status, body } = await patch(user, operations({ op: "add", path: "title", value: "A" }, change)(user));
  expect([status, body]).toEqual([
    400,
    { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "400", scimType, detail: expect.any(String) },
  ]);
  expect(await storedOf(user)).toEqual(before);
});
