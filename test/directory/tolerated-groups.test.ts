/**
 * The table of what a change of a group tolerates, row by row, as directories send it to the route. `recorded.test` has
 * Entra's second schema and the courses of both directories, in groups of one.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { bring, type Directory, newDirectory, scim } from "../support/scim";
import { membersOf, newGroup } from "../support/scim-groups";
import { one } from "../support/signed-on";

const PATCH_OP = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
const GROUP = ["urn:ietf:params:scim:schemas:core:2.0:Group"];
/** Okta and Entra send the first type, OneLogin and others the second. */
const [SCIM_TYPE, JSON_TYPE] = ["application/scim+json; charset=utf-8", "application/json"];

const INVALID = "invalidValue";

let directory: Directory;
/** Of whom the first three are in the group. */
let people: [anna: string, bea: string, carl: string, dora: string];
let made = 0;

beforeAll(async () => {
  directory = await newDirectory();
  const bringOne = async (): Promise<string> => (await bring(directory)).id;
  people = [await bringOne(), await bringOne(), await bringOne(), await bringOne()];
});

async function storedOf(id: string) {
  const { id: connectionId } = directory.connection;
  const row = await one<{ displayName: string; externalId: string | null; version: number; members: string }>(
    `SELECT display_name AS displayName, external_id AS externalId, version,
       (SELECT json_group_array(m.person_id) FROM directory_members m
        WHERE m.connection_id = g.connection_id AND m.group_id = g.id) AS members
     FROM directory_groups g WHERE g.connection_id = ? AND g.id = ?`,
    connectionId,
    id,
  );
  return {
    ...row,
    members: JSON.parse(row?.members ?? "[]")
      .map(nameOf)
      .sort(),
  };
}

const NAMES = ["anna", "bea", "carl", "dora"];
const nameOf = (id: string) => NAMES[people.indexOf(id)];
const idOf = (name: string): string => people[NAMES.indexOf(name)] ?? name;

/** A new group of Anna, Bea and Carl. */
async function groupOfThree() {
  made += 1;
  const id = await newGroup(directory, `Staff ${made}`, people.slice(0, 3));
  return { id, before: await storedOf(id) };
}

const send = (method: string, id: string, body: object, type = SCIM_TYPE) =>
  scim(directory, method, `/Groups/${id}`, { body, headers: { "content-type": type } });
const patchBody = (...Operations: object[]) => ({ schemas: PATCH_OP, Operations });
const ofMembers = (op: string, ...names: string[]) => ({
  op,
  path: "members",
  value: names.map((name) => ({ $ref: null, value: idOf(name) })),
});
const selected = (name: string) => `members[value eq "${idOf(name)}"]`;

describe("a PATCH", () => {
  test.each<[what: string, sent: () => object, members: string[], type?: string]>([
    ["Entra: a removal of a list takes those", () => patchBody(ofMembers("Remove", "anna", "bea")), ["carl"]],
    [
      "Okta: a removal by a selection takes that one",
      () => patchBody({ op: "remove", path: selected("bea") }),
      ["anna", "carl"],
    ],
    ["a removal of `members` alone takes all", () => patchBody({ op: "remove", path: "members" }), []],
    [
      "a verb in capitals, `operations`, and no schemas",
      () => ({ operations: [ofMembers("ADD", "dora")] }),
      ["anna", "bea", "carl", "dora"],
      JSON_TYPE,
    ],
    [
      "no path, and members as a key",
      () => patchBody({ op: "replace", value: { members: membersOf([idOf("dora")]) } }),
      ["dora"],
    ],
    [
      "some who are in it already come with one who is not",
      () => patchBody(ofMembers("Add", "anna", "dora")),
      ["anna", "bea", "carl", "dora"],
    ],
  ])("%s", async (_, sent, members, type) => {
    const { id, before } = await groupOfThree();
    const { status, body } = await send("PATCH", id, sent(), type);
    expect([status, body]).toEqual([204, undefined]);
    expect(await storedOf(id)).toEqual({ ...before, members, version: 2 });
  });

  test("answers with the group when attributes are asked for", async () => {
    const { id } = await groupOfThree();
    const { status, body } = await scim(directory, "PATCH", `/Groups/${id}?attributes=members`, {
      body: patchBody({ op: "remove", path: selected("bea") }),
    });
    const shown = body.members.map(({ value }: { value: string }) => nameOf(value)).sort();
    expect([status, shown]).toEqual([200, ["anna", "carl"]]);
  });

  test.each<[what: string, sent: (id: string) => object, type?: string]>([
    ["an addition twice", () => patchBody(ofMembers("Add", "anna", "bea"), ofMembers("Add", "anna"))],
    ["a removal of somebody who is not in it", () => patchBody({ op: "remove", path: selected("dora") })],
    ["a removal of somebody whom nobody knows", () => patchBody({ op: "remove", path: 'members[value eq "nobody"]' })],
    ["a removal of an empty list", () => patchBody(ofMembers("Remove"))],
    ["a removal of null", () => patchBody({ op: "remove", path: "members", value: null })],
    ["null for the members", () => patchBody({ op: "replace", value: { members: null } })],
    ["its own id", (id) => patchBody({ op: "replace", value: { id } }), JSON_TYPE],
  ])("with %s writes nothing", async (_, sent, type) => {
    const { id, before } = await groupOfThree();
    expect((await send("PATCH", id, sent(id), type)).status).toBe(204);
    expect(await storedOf(id)).toEqual({ ...before, version: 1 });
  });

  test.each<[what: string, change: () => object, scimType: string]>([
    [
      "a selection by another attribute",
      () => ({ op: "remove", path: 'members[display eq "Anna"].value' }),
      "invalidFilter",
    ],
    [
      "a group as a member",
      () => ({ op: "add", path: "members", value: [{ value: idOf("dora"), type: "Group" }] }),
      INVALID,
    ],
    ["another id", () => ({ op: "replace", value: { id: idOf("anna") } }), "mutability"],
    ["another version", () => ({ op: "replace", path: "meta", value: { version: 'W/"9"' } }), "mutability"],
  ])("refuses %s with all that comes with it", async (_, change, scimType) => {
    const { id, before } = await groupOfThree();
    const { status, body } = await send("PATCH", id, patchBody(ofMembers("Remove", "anna"), change()));
    expect([status, body]).toMatchObject([400, { status: "400", scimType }]);
    expect(await storedOf(id)).toEqual(before);
  });

  test("names ten of those whom nobody knows", async () => {
    const { id, before } = await groupOfThree();
    const strangers = Array.from({ length: 12 }, () => crypto.randomUUID());
    const { status, body } = await send("PATCH", id, patchBody(ofMembers("Add", "dora", ...strangers)));
    expect([status, body]).toMatchObject([400, { scimType: INVALID }]);
    expect(strangers.filter((stranger) => body.detail.includes(stranger))).toHaveLength(10);
    expect(await storedOf(id)).toEqual(before);
  });
});

test("a PUT with null for the members, and Entra's second schema, leaves them", async () => {
  const { id, before } = await groupOfThree();
  const schemas = [...GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"];
  const displayName = `${before.displayName} EU`;
  const { status, body } = await send("PUT", id, { schemas, displayName, externalId: "e", members: null });
  expect([status, body]).toMatchObject([200, { displayName, externalId: "e" }]);
  expect(await storedOf(id)).toEqual({ ...before, displayName, externalId: "e", version: 2 });
});
