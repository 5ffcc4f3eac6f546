/** What is kept of people and groups. What is not here is accepted and dropped, passwords and roles first. */
import { type Attribute, type ResourceKind, type ScimSchema, text } from "./attribute";

/** The extension for organisations (RFC 7643 section 4.3). */
export const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

const readOnly = { mutability: "readOnly" } as const;

const userSchema: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:User",
  name: "User",
  description: "A person of the directory.",
  attributes: [
    text("userName", "What the directory calls the person; unique in any case.", {
      required: true,
      uniqueness: "server",
    }),
    {
      name: "name",
      description: "The parts of the name.",
      type: "complex",
      members: [
        text("formatted", "The whole name."),
        text("familyName", "The family name."),
        text("givenName", "The given name."),
        text("middleName", "The middle names."),
        text("honorificPrefix", "What comes before the name."),
        text("honorificSuffix", "What comes after the name."),
      ],
    },
    text("displayName", "The name that is shown."),
    text("title", "The job title."),
    text("userType", "How the person belongs to the organisation."),
    text("preferredLanguage", "The preferred language."),
    text("locale", "How dates and numbers are written."),
    text("timezone", "The time zone."),
    { name: "active", description: "Whether the person may sign in.", type: "boolean" },
    {
      name: "emails",
      description: "The addresses; the primary one names the account.",
      type: "complex",
      multiValued: true,
      key: "value",
      members: [
        text("value", "The address."),
        text("display", "The address as shown."),
        text("type", "What it is for, such as work."),
        { name: "primary", description: "Whether it is the preferred one.", type: "boolean" },
      ],
    },
    {
      name: "groups",
      description: "The groups with the person.",
      type: "complex",
      multiValued: true,
      key: "value",
      ...readOnly,
      members: [
        text("value", "The id of the group.", { ...readOnly, caseExact: true }),
        text("$ref", "The address of the group.", { ...readOnly, type: "reference", referenceTypes: ["Group"] }),
        text("display", "The name of the group.", readOnly),
      ],
    },
  ],
};

const enterpriseSchema: ScimSchema = {
  id: ENTERPRISE,
  name: "EnterpriseUser",
  description: "What an organisation adds.",
  attributes: [
    text("employeeNumber", "The number of the employee."),
    text("costCenter", "The cost centre."),
    text("organization", "The organisation."),
    text("division", "The division."),
    text("department", "The department."),
    {
      name: "manager",
      description: "The manager.",
      type: "complex",
      key: "value",
      members: [text("value", "The manager's id."), text("displayName", "The manager's name.")],
    },
  ],
};

const groupSchema: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  description: "A group of people.",
  attributes: [
    text("displayName", "The name; unique in any case.", { required: true, uniqueness: "server" }),
    {
      name: "members",
      description: "The people in it; groups in groups are refused.",
      type: "complex",
      multiValued: true,
      key: "value",
      members: [
        text("value", "The id of the person.", { mutability: "immutable", caseExact: true }),
        text("$ref", "The address of the person.", {
          mutability: "immutable",
          type: "reference",
          referenceTypes: ["User"],
        }),
        text("type", "Always User.", { mutability: "immutable", canonicalValues: ["User"] }),
      ],
    },
  ],
};

/** What every resource has besides (RFC 7643 section 3.1); its schema does not list them. */
export const COMMON: readonly Attribute[] = [
  text("id", "The id here.", { ...readOnly, caseExact: true }),
  text("externalId", "The id at the directory.", { caseExact: true }),
  {
    name: "meta",
    description: "When and where it is.",
    type: "complex",
    ...readOnly,
    members: ["resourceType", "created", "lastModified", "location", "version"].map((name) => text(name, "", readOnly)),
  },
];

export const USER: ResourceKind = {
  name: "User",
  endpoint: "/Users",
  core: userSchema,
  extension: enterpriseSchema,
};

export const GROUP: ResourceKind = { name: "Group", endpoint: "/Groups", core: groupSchema, extension: null };
