/**
 * What Okta and Entra send: the steps of Okta's published SPEC and CRUD suites, and the requests that Entra documents,
 * each in the order in which its directory sends them.
 */
import { expect } from "vitest";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const LIST = { schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"] };
const PATCH_OP = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];

/** `{user}` and `{group}` stand for what was made with that name; `{domain}` for the directory's. */
type Step = [what: string, method: string, path: string, body: object | null, status: number, answer: object | null];

const operations = (...Operations: object[]) => ({ schemas: PATCH_OP, Operations });
const by = (filter: string) => `?filter=${encodeURIComponent(filter)}`;
const one = (resource: object) => ({ ...LIST, totalResults: 1, Resources: [expect.objectContaining(resource)] });
const nobody = { ...LIST, totalResults: 0, Resources: [] };
const error = (status: string) => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
  status,
  detail: expect.any(String),
});

const OKTA_USER = {
  schemas: [`${CORE}:User`],
  userName: "runscope300@{domain}",
  name: { givenName: "Runscope300", familyName: "Test" },
  emails: [{ primary: true, value: "runscope300@{domain}", type: "work" }],
  displayName: "Runscope300 Test",
  locale: "en-US",
  externalId: "00ujl29u0le5T6Aj10h7",
  groups: [],
  password: "1mz050nq",
  active: true,
};
const OKTA_KEPT = { userName: "runscope300@{domain}", active: true, name: OKTA_USER.name, emails: OKTA_USER.emails };

export const OKTA: Step[] = [
  ["a first page of one", "GET", "/Users?count=1&startIndex=1", null, 200, { ...LIST, startIndex: 1 }],
  ["nobody by a name", "GET", `/Users${by('userName eq "abcdefgh@atko.com"')}`, null, 200, nobody],
  ["nobody by an id", "GET", "/Users/010101001010101011001010101011", null, 404, error("404")],
  ["user: a new person", "POST", "/Users", OKTA_USER, 201, { ...OKTA_KEPT, id: expect.any(String) }],
  ["the same person again", "POST", "/Users", OKTA_USER, 409, error("409")],
  ["the person by id", "GET", "/Users/{user}", null, 200, OKTA_KEPT],
  ["by a name in another case", "GET", `/Users${by('userName eq "RUNSCOPE300@{domain}"')}`, null, 200, one(OKTA_KEPT)],
  ["a page of 100", "GET", "/Users?startIndex=1&count=100", null, 200, one(OKTA_KEPT)],
  [
    "a changed person, as a whole",
    "PUT",
    "/Users/{user}",
    { ...OKTA_USER, id: "{user}", name: { givenName: "Another", familyName: "Test" } },
    200,
    { name: { givenName: "Another", familyName: "Test" }, active: true },
  ],
  [
    "a deactivation",
    "PATCH",
    "/Users/{user}",
    operations({ op: "replace", value: { active: false } }),
    200,
    { active: false },
  ],
  [
    "who is inactive, by name",
    "GET",
    `/Users${by('userName eq "runscope300@{domain}"')}`,
    null,
    200,
    one({ active: false }),
  ],
  [
    "an activation",
    "PATCH",
    "/Users/{user}",
    operations({ op: "replace", value: { active: true } }),
    200,
    { active: true },
  ],
  ["no groups", "GET", "/Groups?startIndex=1&count=100", null, 200, nobody],
  [
    "group: a new group",
    "POST",
    "/Groups",
    { schemas: [`${CORE}:Group`], displayName: "Test SCIMv2", members: [] },
    201,
    { displayName: "Test SCIMv2" },
  ],
  [
    "the same group again",
    "POST",
    "/Groups",
    { schemas: [`${CORE}:Group`], displayName: "Test SCIMv2" },
    409,
    error("409"),
  ],
  [
    "a renamed group",
    "PATCH",
    "/Groups/{group}",
    operations({ op: "replace", value: { id: "{group}", displayName: "SCIMv2" } }),
    204,
    null,
  ],
  [
    "a new member",
    "PATCH",
    "/Groups/{group}",
    operations({ op: "add", path: "members", value: [{ value: "{user}", display: "runscope300@{domain}" }] }),
    204,
    null,
  ],
  [
    "the group with its member",
    "GET",
    "/Groups/{group}",
    null,
    200,
    { displayName: "SCIMv2", members: [expect.objectContaining({ value: "{user}" })] },
  ],
  [
    "one who leaves",
    "PATCH",
    "/Groups/{group}",
    operations({ op: "remove", path: 'members[value eq "{user}"]' }),
    204,
    null,
  ],
  [
    "all members anew",
    "PATCH",
    "/Groups/{group}",
    operations({ op: "replace", path: "members", value: [{ value: "{user}" }] }),
    204,
    null,
  ],
  ["a deleted group", "DELETE", "/Groups/{group}", null, 204, null],
];

const ENTRA_USER = {
  schemas: [`${CORE}:User`, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
  externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
  userName: "Test_User_ab6490ee@{domain}",
  active: true,
  emails: [{ primary: true, type: "work", value: "test_user_ab6490ee@{domain}" }],
  meta: { resourceType: "User" },
  name: { formatted: "givenName familyName", familyName: "familyName", givenName: "givenName" },
  roles: [],
};
const ENTRA_KEPT = {
  externalId: ENTRA_USER.externalId,
  userName: ENTRA_USER.userName,
  active: true,
  name: ENTRA_USER.name,
};
const ENTRA_GROUP = {
  externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
  schemas: [`${CORE}:Group`, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
  displayName: "displayName",
  meta: { resourceType: "Group" },
};

export const ENTRA: Step[] = [
  ["its test of the connection", "GET", `/Users${by('userName eq "non-existent user"')}`, null, 200, nobody],
  ["user: a new person", "POST", "/Users", ENTRA_USER, 201, ENTRA_KEPT],
  ["the person by id", "GET", "/Users/{user}", null, 200, ENTRA_KEPT],
  ["nobody by an id", "GET", "/Users/5171a35d82074e068ce2", null, 404, error("404")],
  ["the person by name", "GET", `/Users${by('userName eq "Test_User_ab6490ee@{domain}"')}`, null, 200, one(ENTRA_KEPT)],
  [
    "the person by externalId",
    "GET",
    `/Users${by(`externalId eq "${ENTRA_USER.externalId}"`)}`,
    null,
    200,
    one(ENTRA_KEPT),
  ],
  [
    "two changes at once",
    "PATCH",
    "/Users/{user}",
    operations(
      { op: "Replace", path: 'emails[type eq "work"].value', value: "updatedEmail@{domain}" },
      { op: "Replace", path: "name.familyName", value: "updatedFamilyName" },
    ),
    200,
    { name: expect.objectContaining({ familyName: "updatedFamilyName", givenName: "givenName" }) },
  ],
  [
    "another user name",
    "PATCH",
    "/Users/{user}",
    operations({ op: "Replace", path: "userName", value: "5b50642d@{domain}" }),
    200,
    { userName: "5b50642d@{domain}" },
  ],
  [
    "a manager",
    "PATCH",
    "/Users/{user}?aadOptscim062020",
    operations({ op: "Add", path: `${ENTRA_USER.schemas[1]}:manager`, value: "{user}" }),
    200,
    {},
  ],
  [
    "a deactivation as text",
    "PATCH",
    "/Users/{user}",
    operations({ op: "Replace", path: "active", value: "False" }),
    200,
    { active: false },
  ],
  [
    "an activation as text",
    "PATCH",
    "/Users/{user}",
    operations({ op: "Replace", path: "active", value: "True" }),
    200,
    { active: true },
  ],
  [
    "group: a new group",
    "POST",
    "/Groups",
    ENTRA_GROUP,
    201,
    { displayName: "displayName", externalId: ENTRA_GROUP.externalId },
  ],
  [
    "the group without members",
    "GET",
    "/Groups/{group}?excludedAttributes=members",
    null,
    200,
    { displayName: "displayName" },
  ],
  [
    "the group by name",
    "GET",
    `/Groups${by('displayName eq "displayName"')}&excludedAttributes=members`,
    null,
    200,
    one({ id: "{group}" }),
  ],
  [
    "another name",
    "PATCH",
    "/Groups/{group}",
    operations({ op: "Replace", path: "displayName", value: "1879db59" }),
    204,
    null,
  ],
  [
    "a new member",
    "PATCH",
    "/Groups/{group}",
    operations({ op: "Add", path: "members", value: [{ $ref: null, value: "{user}" }] }),
    204,
    null,
  ],
  [
    "whether somebody is in it",
    "GET",
    `/Groups${by('id eq "{group}" and members eq "{user}"')}&attributes=id`,
    null,
    200,
    one({ id: "{group}" }),
  ],
  [
    "one who leaves",
    "PATCH",
    "/Groups/{group}",
    operations({ op: "Remove", path: "members", value: [{ $ref: null, value: "{user}" }] }),
    204,
    null,
  ],
  [
    "whether they are still in it",
    "GET",
    `/Groups${by('id eq "{group}" and members eq "{user}"')}&attributes=id`,
    null,
    200,
    nobody,
  ],
  ["a deleted group", "DELETE", "/Groups/{group}", null, 204, null],
  ["a deleted person", "DELETE", "/Users/{user}", null, 204, null],
  ["who was deleted", "GET", "/Users/{user}", null, 404, error("404")],
];
