/** Changes of people as directories send them: the table of what is tolerated, row by row. */
import { describe, expect, test } from "vitest";
import { ENTERPRISE } from "../../src/directory/protocol/kinds";
import { patchUser } from "../../src/directory/protocol/patch-user";
import type { DirectoryUser } from "../../src/directory/protocol/user";
import type { StoredUser } from "../../src/directory/protocol/view";

const ID = "23a35c27-23d3-4c03-b4c5-6443c09e7173";
const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

const stored = (record: Partial<DirectoryUser> = {}): StoredUser => ({
  id: ID,
  version: 3,
  createdAt: 0,
  updatedAt: 1_000,
  groups: [{ value: "g1", display: "Sales" }],
  record: { userName: "anna", active: true, ...record },
});

/** The record after the operations, without what every record has here. */
function changed(record: Partial<DirectoryUser>, ...operations: unknown[]) {
  const { userName, active, ...others } = patchUser(stored(record), {
    schemas: [PATCH_SCHEMA],
    Operations: operations,
  });
  return { ...others, ...(userName === "anna" ? {} : { userName }), ...(active ? {} : { active }) };
}

const work = (value: string) => ({ value, type: "work" });
const EMAILS = { emails: [work("a@x.com"), { value: "b@x.com", type: "home" }] };
const ORGANISATION = { [ENTERPRISE]: { department: "Sales", manager: { value: "7", displayName: "Bo" } } };

describe("tolerated, as recorded", () => {
  const entraReplace = [
    { op: "Replace", path: "displayName", value: "Pvlo" },
    { op: "Replace", path: 'emails[type eq "work"].value', value: "Test@test.microsoft.com" },
    { op: "Replace", path: "name.givenName", value: "Gtfd" },
    { op: "Replace", path: "externalId", value: "Eqpj" },
    { op: "Replace", path: `${ENTERPRISE}:employeeNumber`, value: "Eqpj" },
  ];
  const entraFlagged = {
    op: "replace",
    value: { displayName: "Bjfe", "name.givenName": "Kkom", [`${ENTERPRISE}:employeeNumber`]: "Aklq" },
  };
  test.each<[string, Partial<DirectoryUser>, unknown[], object]>([
    ["Entra: disable", {}, [{ op: "Replace", path: "active", value: "False" }], { active: false }],
    ["Entra with its flag: disable", {}, [{ op: "replace", path: "active", value: false }], { active: false }],
    ["Okta: deactivate", {}, [{ op: "replace", value: { active: false } }], { active: false }],
    ["Okta: activate", { active: false }, [{ op: "replace", value: { active: true } }], {}],
    ["Entra: an attribute that is not kept", {}, [{ op: "Add", path: "nickName", value: "Babs" }], {}],
    [
      "Entra: several attributes",
      {},
      entraReplace,
      {
        displayName: "Pvlo",
        emails: [work("Test@test.microsoft.com")],
        name: { givenName: "Gtfd" },
        externalId: "Eqpj",
        [ENTERPRISE]: { employeeNumber: "Eqpj" },
      },
    ],
    [
      "Entra with its flag: several attributes",
      {},
      [entraFlagged],
      {
        displayName: "Bjfe",
        name: { givenName: "Kkom" },
        [ENTERPRISE]: { employeeNumber: "Aklq" },
      },
    ],
    [
      "any case of verbs, names and members",
      {},
      [{ OP: "REPLACE", Path: "DISPLAYNAME", Value: "A" }],
      { displayName: "A" },
    ],
    [
      "the URN of the core schema",
      {},
      [{ op: "add", path: "urn:ietf:params:scim:schemas:core:2.0:User:title", value: "A" }],
      { title: "A" },
    ],
    [
      "the extension as one value",
      {},
      [{ op: "add", value: { [ENTERPRISE]: { division: "N" } } }],
      { [ENTERPRISE]: { division: "N" } },
    ],
    [
      "the extension as a path",
      {},
      [{ op: "add", path: ENTERPRISE, value: { division: "N" } }],
      { [ENTERPRISE]: { division: "N" } },
    ],
    ["the extension as a whole leaves", ORGANISATION, [{ op: "remove", path: ENTERPRISE.toUpperCase() }], {}],
    [
      "an address that exists",
      EMAILS,
      [{ op: "replace", path: 'emails[type eq "Work"].value', value: "c@x.com" }],
      {
        emails: [work("c@x.com"), EMAILS.emails[1]],
      },
    ],
    [
      "an address without one of that type",
      EMAILS,
      [{ op: "add", path: 'emails[type eq "other"].value', value: "c@x.com" }],
      {
        emails: [...EMAILS.emails, { value: "c@x.com", type: "other" }],
      },
    ],
    [
      "a path as a member",
      {},
      [{ op: "Add", value: { 'emails[type eq "work"].value': "a@x.com" } }],
      { emails: [work("a@x.com")] },
    ],
    [
      "a truth value in quotes",
      { emails: [{ value: "a@x.com", primary: true }] },
      [{ op: "replace", path: 'emails[primary eq "true"].value', value: "c@x.com" }],
      { emails: [{ value: "c@x.com", primary: true }] },
    ],
    [
      "a type that comes before its address",
      {},
      [
        { op: "add", path: 'emails[type eq "work"].primary', value: "True" },
        { op: "add", path: 'emails[type eq "work"].value', value: "a@x.com" },
      ],
      { emails: [{ ...work("a@x.com"), primary: true }] },
    ],
    [
      "addresses and telephones, dropped",
      {},
      [
        { op: "Add", path: 'addresses[type eq "work"].streetAddress', value: "1 Way" },
        { op: "Add", path: 'phoneNumbers[type eq "work"].value', value: "1" },
        { op: "Add", path: "password", value: "secret" },
        { op: "Add", path: "roles", value: [{ value: "owner" }] },
        { op: "Add", path: "urn:ietf:params:scim:schemas:extension:Own:2.0:User:tag", value: "701" },
      ],
      {},
    ],
    ["a list of one", {}, [{ op: "add", path: "displayName", value: ["A"] }], { displayName: "A" }],
    [
      "a manager as a text",
      {},
      [{ op: "Add", path: `${ENTERPRISE}:manager`, value: "9" }],
      { [ENTERPRISE]: { manager: { value: "9" } } },
    ],
    [
      "a manager as an object",
      ORGANISATION,
      [{ op: "replace", path: `${ENTERPRISE}:manager`, value: { value: "9", $ref: null } }],
      {
        [ENTERPRISE]: { department: "Sales", manager: { value: "9" } },
      },
    ],
    [
      "no manager: an empty text",
      ORGANISATION,
      [{ op: "replace", path: `${ENTERPRISE}:manager`, value: "" }],
      { [ENTERPRISE]: { department: "Sales" } },
    ],
    [
      "no manager: null",
      ORGANISATION,
      [{ op: "replace", path: `${ENTERPRISE}:manager`, value: null }],
      { [ENTERPRISE]: { department: "Sales" } },
    ],
    [
      "no manager: an empty value",
      ORGANISATION,
      [{ op: "replace", path: `${ENTERPRISE}:manager.value`, value: "" }],
      { [ENTERPRISE]: { department: "Sales" } },
    ],
    [
      "the last of an extension goes",
      { [ENTERPRISE]: { division: "N" } },
      [{ op: "remove", path: `${ENTERPRISE}:division` }],
      {},
    ],
    [
      "active cannot be removed",
      {},
      [
        { op: "remove", path: "active" },
        { op: "replace", path: "active", value: null },
      ],
      {},
    ],
    [
      "a name keeps its other parts",
      { name: { givenName: "A", familyName: "B" } },
      [{ op: "replace", value: { name: { givenName: "C" } } }],
      {
        name: { givenName: "C", familyName: "B" },
      },
    ],
    [
      "adding twice",
      EMAILS,
      [{ op: "add", path: "emails", value: [work("A@X.com")] }],
      { emails: [work("A@X.com"), EMAILS.emails[1]] },
    ],
    [
      "one address for a list",
      {},
      [{ op: "add", path: "emails", value: work("a@x.com") }],
      { emails: [work("a@x.com")] },
    ],
    [
      "removing some addresses",
      EMAILS,
      [{ op: "remove", path: "emails", value: [{ value: "a@x.com" }] }],
      { emails: [EMAILS.emails[1]] },
    ],
    [
      "removing addresses of a type",
      EMAILS,
      [{ op: "remove", path: 'emails[type eq "home"]' }],
      { emails: [EMAILS.emails[0]] },
    ],
    [
      "removing what is not there",
      EMAILS,
      [
        { op: "remove", path: 'emails[type eq "fax"]' },
        { op: "remove", path: "title" },
      ],
      EMAILS,
    ],
    ["removing all addresses", EMAILS, [{ op: "remove", path: "emails" }], {}],
    [
      "a new primary address",
      { emails: [{ value: "a@x.com", primary: true }] },
      [{ op: "add", path: "emails", value: [{ value: "b@x.com", primary: true }] }],
      {
        emails: [
          { value: "a@x.com", primary: false },
          { value: "b@x.com", primary: true },
        ],
      },
    ],
    [
      "what is read-only, as it is",
      {},
      [
        {
          op: "replace",
          value: { id: ID, meta: { resourceType: "User", version: 'W/"3"' }, groups: [{ value: "g1" }], schemas: [] },
        },
      ],
      {},
    ],
    ["no operations", EMAILS, [], EMAILS],
  ])("%s", (_, record, operations, expected) => {
    expect(changed(record, ...operations)).toEqual(expected);
  });

  test("operations in lower case, without schemas", () => {
    expect(patchUser(stored(), { operations: [{ op: "add", path: "title", value: "A" }] }).title).toBe("A");
  });
});
