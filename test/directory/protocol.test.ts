/** What answers have: parts of resources, pages, versions, and what the server tells of itself. */
import { describe, expect, test } from "vitest";
import {
  resourceTypeOf,
  resourceTypesList,
  schemaOf,
  schemasList,
  serviceProviderConfig,
} from "../../src/directory/protocol/discovery";
import { errorBody } from "../../src/directory/protocol/error";
import { namesVersion } from "../../src/directory/protocol/etag";
import { ENTERPRISE } from "../../src/directory/protocol/kinds";
import { askedPage, listView } from "../../src/directory/protocol/list";
import { asksFor, project } from "../../src/directory/protocol/projection";
import { groupView, userView } from "../../src/directory/protocol/view";

const BASE = "https://api.example.com/scim/v2/1";
const user = userView(
  {
    id: "u",
    version: 7,
    createdAt: 0,
    updatedAt: 1_000,
    groups: [{ value: "g", display: "Sales" }],
    record: {
      userName: "anna",
      active: true,
      name: { givenName: "A", familyName: "B" },
      emails: [{ value: "a@x.com", type: "work" }],
      [ENTERPRISE]: { department: "Sales", manager: { value: "7" } },
    },
  },
  BASE,
);

test("a person has their groups, both schemas and where they are", () => {
  expect(user).toMatchObject({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", ENTERPRISE],
    groups: [{ value: "g", display: "Sales", $ref: `${BASE}/Groups/g` }],
    meta: { lastModified: "1970-01-01T00:00:01.000Z", location: `${BASE}/Users/u`, version: 'W/"7"' },
  });
});

test("a group has its members, or leaves them out", () => {
  const group = { id: "g", version: 1, createdAt: 0, updatedAt: 0, displayName: "Sales", externalId: null };
  expect(groupView(group, ["u"], BASE).members).toEqual([{ value: "u", $ref: `${BASE}/Users/u`, type: "User" }]);
  expect(groupView(group, undefined, BASE)).not.toHaveProperty("members");
});

const ALWAYS = { schemas: user["schemas"], id: "u" };
test.each([
  [{ attributes: "userName" }, { ...ALWAYS, userName: "anna" }],
  [{ attributes: " USERNAME , name.givenName,nothing" }, { ...ALWAYS, userName: "anna", name: { givenName: "A" } }],
  [{ attributes: "emails.value" }, { ...ALWAYS, emails: [{ value: "a@x.com" }] }],
  [{ attributes: "urn:ietf:params:scim:schemas:core:2.0:User:active" }, { ...ALWAYS, active: true }],
  [{ attributes: `${ENTERPRISE}:manager.value` }, { ...ALWAYS, [ENTERPRISE]: { manager: { value: "7" } } }],
  [{ attributes: ENTERPRISE }, { ...ALWAYS, [ENTERPRISE]: user[ENTERPRISE] }],
  [{ attributes: "name,name.givenName" }, { ...ALWAYS, name: user["name"] }],
  [{ attributes: "nothing" }, ALWAYS],
  [
    { attributes: "name", excludedAttributes: "name.familyName" },
    { ...ALWAYS, name: { givenName: "A" } },
  ],
  [{ attributes: "" }, user],
  [{}, user],
])("of a person, %j asks for a part", (asked, expected) => {
  expect(project(user, asked)).toEqual(expected);
});

test("excluded attributes are left out, and what a resource needs is not", () => {
  const { emails, meta, ...others } = user;
  expect(project(user, { excludedAttributes: "emails,meta,id,schemas" })).toEqual(others);
  expect(asksFor({ excludedAttributes: "members" }, "members")).toBe(false);
  expect(asksFor({ attributes: "displayName" }, "members")).toBe(false);
  expect(asksFor({ attributes: "members.value" }, "members")).toBe(true);
  expect(asksFor({}, "members")).toBe(true);
});

describe("pages", () => {
  test.each([
    [{}, { startIndex: 1, count: 100, cursor: null }],
    [
      { startIndex: "1", count: "100" },
      { startIndex: 1, count: 100, cursor: null },
    ],
    [
      { startIndex: "-5", count: "-1" },
      { startIndex: 1, count: 0, cursor: null },
    ],
    [
      { startIndex: "301", count: "5000" },
      { startIndex: 301, count: 200, cursor: null },
    ],
    [{ cursor: "" }, { startIndex: 1, count: 100, cursor: "" }],
  ])("%j", (query, expected) => {
    expect(askedPage(query)).toEqual(expected);
  });

  test.each([{ count: "many" }, { startIndex: "1.5" }, { count: "1e9" }, { cursor: "a", startIndex: "1" }])(
    "%j is refused",
    (query) => {
      expect(() => askedPage(query)).toThrow(expect.objectContaining({ status: 400, scimType: "invalidValue" }));
    },
  );

  test("say how many there are", () => {
    expect(listView({ totalResults: 9, startIndex: 3, resources: [{}] })).toEqual({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
      totalResults: 9,
      itemsPerPage: 1,
      startIndex: 3,
      Resources: [{}],
    });
  });
});

test.each([
  ['W/"7"', true],
  ['"7"', true],
  ['W/"1", W/"7"', true],
  ["*", true],
  ['W/"77"', false],
  ["7", false],
])("%s names version 7: %s", (header, isNamed) => {
  expect(namesVersion(header, 7)).toBe(isNamed);
});

test("the server tells what it can, and lists what it keeps", () => {
  expect(serviceProviderConfig(BASE)).toMatchObject({ patch: { supported: true }, bulk: { supported: false } });
  expect(resourceTypesList(BASE)).toMatchObject({ totalResults: 2, Resources: [{ id: "User" }, { id: "Group" }] });
  expect(resourceTypeOf("User", BASE)).toMatchObject({ schemaExtensions: [{ schema: ENTERPRISE, required: false }] });
  expect(schemasList(BASE)).toMatchObject({ totalResults: 3 });
  expect(schemaOf(ENTERPRISE, BASE)).toHaveProperty("attributes.length", 6);
  expect([resourceTypeOf("Device", BASE), schemaOf("urn:none", BASE)]).toEqual([undefined, undefined]);
});

test("an error has its status as a text", () => {
  expect(errorBody(400, "No.", "invalidValue")).toEqual({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: "400",
    scimType: "invalidValue",
    detail: "No.",
  });
});
