/** Changes of groups as directories send them: no form of a removal takes anybody else. */
import { describe, expect, test } from "vitest";
import { type GroupChange, patchGroup, readGroup, replaceGroup } from "../../src/directory/protocol/group";

const ID = "abf4dd94-a4c0-4f67-89c9-76b03340cb9b";
const ANNA = "7f4bc1a3-285e-48ae-8202-5accb43efb0e";
const BEA = "89bb1940-b905-4575-9e7f-6f887cfb368e";
const present = { id: ID, version: 1, createdAt: 0, updatedAt: 0, displayName: "Sales", externalId: null };

const members = (change: Partial<GroupChange["members"]> = {}) => ({
  isReplacement: false,
  added: [],
  removed: [],
  ...change,
});
const patch = (...Operations: unknown[]) => patchGroup(present, { Operations });

describe("members", () => {
  test.each<[string, unknown[], object]>([
    [
      "Okta: one leaves, one comes",
      [
        { op: "remove", path: `members[value eq "${BEA}"]` },
        { op: "add", path: "members", value: [{ value: ANNA, display: "anna@okta.local" }] },
      ],
      { added: [ANNA], removed: [BEA] },
    ],
    [
      "Okta: all of them again",
      [{ op: "replace", path: "members", value: [{ value: ANNA }, { value: BEA }] }],
      {
        isReplacement: true,
        added: [ANNA, BEA],
      },
    ],
    ["Okta: only a name", [{ op: "replace", value: { id: ID, displayName: "Sales" } }], {}],
    ["Entra: a removal with a list", [{ op: "Remove", path: "members", value: [{ value: BEA }] }], { removed: [BEA] }],
    [
      "Entra: an addition with $ref null",
      [{ op: "Add", path: "members", value: [{ $ref: null, value: ANNA }] }],
      { added: [ANNA] },
    ],
    [
      "a removal in one case of letters, an addition in another",
      [
        { op: "remove", path: `members[VALUE EQ "${BEA.toUpperCase()}"]` },
        { op: "add", value: { members: { Value: ANNA.toUpperCase() } } },
      ],
      { added: [ANNA], removed: [BEA] },
    ],
    [
      "all leave, and nothing less than the name alone says so",
      [{ op: "remove", path: "members" }],
      { isReplacement: true },
    ],
    ["all leave, as an empty list", [{ op: "replace", path: "members", value: [] }], { isReplacement: true }],
    ["a removal of an empty list", [{ op: "remove", path: "members", value: [] }], {}],
    ["a removal of null", [{ op: "remove", path: "members", value: null }], {}],
    ["null for the members", [{ op: "replace", value: { displayName: "Sales", members: null } }], {}],
    ["what is kept of a member is the id", [{ op: "remove", path: `members[value eq "${BEA}"].display` }], {}],
    [
      "the last operation counts",
      [
        { op: "add", path: "members", value: [{ value: ANNA }, { value: BEA }] },
        { op: "remove", path: "members", value: [{ value: ANNA }] },
      ],
      { added: [BEA], removed: [ANNA] },
    ],
    [
      "after a replacement nobody is removed",
      [
        { op: "remove", path: "members", value: [{ value: BEA }] },
        { op: "replace", path: "members", value: [{ value: ANNA }, { value: BEA }] },
        { op: "remove", path: `members[value eq "${ANNA}"]` },
      ],
      { isReplacement: true, added: [BEA] },
    ],
    ["no operations", [], {}],
  ])("%s", (_, operations, expected) => {
    expect(patch(...operations)).toEqual({ displayName: "Sales", externalId: null, members: members(expected) });
  });

  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ value: `id-${i}` }));
  test.each<[string, unknown, string]>([
    ["a group in it", { op: "add", path: "members", value: [{ value: ANNA, type: "Group" }] }, "invalidValue"],
    ["no id", { op: "add", path: "members", value: [{ display: "Anna" }] }, "invalidValue"],
    ["no list", { op: "remove", path: "members", value: 1 }, "invalidValue"],
    ["another selection", { op: "remove", path: 'members[display eq "Anna"]' }, "invalidFilter"],
    ["two selections", { op: "remove", path: `members[value eq "${ANNA}" and type eq "User"]` }, "invalidFilter"],
    ["either of two", { op: "remove", path: `members[value eq "${ANNA}" or value eq "${BEA}"]` }, "invalidPath"],
    ["a part of all", { op: "remove", path: "members.value" }, "invalidPath"],
    ["a selection to add to", { op: "add", path: `members[value eq "${ANNA}"]`, value: {} }, "noTarget"],
    ["more than 2,000 who come", { op: "add", path: "members", value: many(2_001) }, "invalidValue"],
    ["more than 2,000 who leave", { op: "remove", path: "members", value: many(2_001) }, "invalidValue"],
    ["another id", { op: "replace", value: { id: ANNA } }, "mutability"],
  ])("refuses %s", (_, operation, scimType) => {
    expect(() => patch(operation)).toThrow(expect.objectContaining({ status: 400, scimType }));
  });

  test("of 2,000 may come at once", () => {
    expect(patch({ op: "add", path: "members", value: many(2_000) }).members.added).toHaveLength(2_000);
  });
});

describe("a whole group", () => {
  test("is made as Entra sends it, with its second schema", () => {
    const body = {
      schemas: [
        "urn:ietf:params:scim:schemas:core:2.0:Group",
        "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group",
      ],
      externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
      displayName: "displayName",
      meta: { resourceType: "Group" },
    };
    const { externalId, displayName } = body;
    expect(readGroup(body)).toEqual({ externalId, displayName, members: members() });
  });

  test("keeps members and externalId that a PUT leaves out", () => {
    const named = { ...present, externalId: "e" };
    expect(replaceGroup(named, { displayName: "B", members: null })).toEqual({
      displayName: "B",
      externalId: "e",
      members: members(),
    });
    expect(replaceGroup(named, { displayName: "B", members: [{ value: ANNA }] }).members).toEqual(
      members({ isReplacement: true, added: [ANNA] }),
    );
  });

  test.each([{}, { displayName: "" }, null, [], { displayName: 1 }])("needs a name: %j", (body) => {
    expect(() => readGroup(body)).toThrow(expect.objectContaining({ status: 400, scimType: "invalidValue" }));
  });
});
