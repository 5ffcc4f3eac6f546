/** Connections in requests and answers. */
import * as z from "zod";
import {
  CONNECTION_AUTHS,
  CONNECTION_KINDS,
  CONNECTION_PROVIDERS,
  CONNECTION_STATES,
} from "../../base/schemas/connection-settings";
import { described, id, name, role, time } from "../../base/schemas/schemas";
import { change, members, text } from "./field-schemas";
import { samlChange, samlExported, samlShown, serviceProvider } from "./saml-schemas";

const MAX_RULES = 200;
const MAX_CLAIM_CHARACTERS = 100;
const MAX_ISSUER_CHARACTERS = 512;
const EXAMPLE_ISSUER = "https://idp.example.com";

const connectionName = name.max(64);
const claim = text(MAX_CLAIM_CHARACTERS);
const issuer = text(MAX_ISSUER_CHARACTERS).meta({
  description: "The address of the identity provider, as its tokens name it: https, without query.",
  examples: [EXAMPLE_ISSUER],
});
const clientId = text(512).meta({
  description: "The client ID of the app that is registered there.",
  examples: ["0oa1b2c3d4"],
});
const clientAuth = z.enum(CONNECTION_AUTHS).meta({
  description:
    "How this service proves itself there: with the `clientSecret`, or with a key whose public part is at `jwksUri`.",
});
const scopes = z
  .string()
  .max(512)
  .regex(/^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/, "Must be scopes with one space between them")
  .refine((list) => list.split(" ").includes("openid"), "Must have openid");

const ruleRole = role.refine((one) => one !== "owner", "Must not be owner: no identity provider makes owners");
const rule = z
  .strictObject({ group: text(256).optional(), claim: claim.optional(), equals: text(256).optional(), role: ruleRole })
  .refine(
    (one) =>
      (one.group === undefined) !== (one.claim === undefined) &&
      (one.claim === undefined) === (one.equals === undefined),
    "Must have a group, or a claim and what it equals",
  )
  .meta({ id: "RoleRule", description: "Gives a role to whoever is in the group, or has the claim with this value." });

export const roleRules = z.array(rule).max(MAX_RULES);

const session = {
  hours: z.int().min(1).max(2_160).meta({ description: "After so many hours the session ends, refreshed or not." }),
  maxAgeSeconds: z
    .int()
    .min(0)
    .max(86_400)
    .meta({ description: "How long ago the person may have signed in there; null: however long." }),
  acrValues: z
    .array(text(255).refine((one) => !one.includes(" "), "Must not contain spaces"))
    .max(5)
    .meta({ description: "Ways to sign in, one of which the provider must say was used." }),
  requireMfa: z.boolean().meta({ description: "Whether the provider must say that there was a second factor." }),
  trustMfa: z.boolean().meta({ description: "Whether a second factor there counts as one here." }),
};

const attributes = {
  subject: z.enum(["sub", "oid"]).meta({
    description: "The claim that names the person for good; `oid` with Entra's issuers alone. By SAML, the NameID.",
  }),
  email: claim,
  name: claim,
  groups: claim,
};

const provisioning = z.enum(["jit", "directory", "both"]).meta({
  description: "`jit`: a first sign-on makes a member. `directory`: only whom the directory has gets in.",
});
const when = z.enum(["every", "first"]).meta({ description: "Whether each sign-on gives the role again." });
const discovery = z.enum(["known", "domain"]).meta({
  description:
    "Who is sent here after typing an address: browsers that have signed on before, or everybody with an address of " +
    "a proved domain, which tells strangers that the domain is a customer's.",
});
const outsideDomains = z.enum(["refuse", "mailCode"]).meta({
  description: "Of an address outside the proved domains: refused, or let in with a code that is mailed to it.",
});

const kind = z.enum(CONNECTION_KINDS).meta({
  description: "How it signs people on; `directory`: not at all, it provisions them alone. It stays what it is.",
});

const fields = {
  provider: change(z.enum(CONNECTION_PROVIDERS)).meta({ description: "Which product it is, for the texts of forms." }),
  oidc: change(
    members({ issuer, clientId, clientAuth, clientSecret: text(1_024).meta({ format: "password" }), scopes }),
  ).meta({
    description: "Saving an issuer reads its document. The secret is never shown again.",
    examples: [{ issuer: EXAMPLE_ISSUER, clientId: "0oa1b2c3d4", clientSecret: "a secret of the provider" }],
  }),
  saml: change(samlChange),
  attributes: change(members(attributes)).meta({
    description:
      "Which claims say what; dots enter objects where no claim has the whole name. By SAML, names of attributes: " +
      "where one is left as it is, the usual names count too, and the NameID if it is an address.",
  }),
  provisioning: change(provisioning),
  roles: change(
    z.strictObject({
      default: ruleRole.nullable().optional().meta({
        description: "Of whom no rule names; null: these do not get in.",
      }),
      rules: change(roleRules),
      when: change(when),
    }),
  ).meta({ description: "The first rule that fits gives the role." }),
  session: change(members(session)),
  discovery: change(discovery),
  outsideDomains: change(outsideDomains),
};

export const newConnection = z
  .strictObject({ name: connectionName, kind: kind.default("oidc"), ...fields })
  .meta({ id: "ConnectionInput", description: "A connection to the identity provider of the tenant." });

/** A directory alone, as a page asks for it. */
export const newDirectory = newConnection.pick({ name: true });

export const connectionChange = z
  .strictObject({ name: connectionName.optional(), ...fields })
  .meta({ id: "ConnectionChange", description: "The fields to change. Null sets one to its default." });

export type NewConnection = z.infer<typeof newConnection>;
export type ConnectionChange = z.infer<typeof connectionChange>;

export const deletion = z
  .strictObject({
    members: z.enum(["keep", "remove"]).meta({
      description: "What happens to the members whom it has made, owners aside.",
      examples: ["keep"],
    }),
  })
  .meta({ id: "ConnectionDeletion", description: "What happens to the members whom a connection has made." });

const problem = z
  .object({ path: z.string(), message: z.string() })
  .meta({ id: "ConnectionProblem", description: "What is missing before it signs people on." });

const oidcShown = z.object({
  issuer: z.string().nullable(),
  clientId: z.string().nullable(),
  clientAuth,
  clientSecret: z
    .object({ last4: z.string().nullable() })
    .nullable()
    .meta({ description: "Null: none is stored. The end is shown of one with at least 12 characters." }),
  scopes: z.string(),
});

export const connection = described("Connection", "A tenant's connection to its identity provider.", () => ({
  id,
  name: z.string().meta({ examples: ["Okta"] }),
  kind,
  provider: z.enum(CONNECTION_PROVIDERS),
  state: z.enum(CONNECTION_STATES).meta({
    description:
      "`draft`: something is missing. `ready`: it can be tested and activated. `active`: people sign on; a directory " +
      "is active once it is made.",
  }),
  needsReview: z.boolean().meta({ description: "True: it signs nobody in before an owner activates it." }),
  version: z.int().meta({ description: "Counts its changes." }),
  oidc: oidcShown.optional().meta({ description: "Missing: it is of another kind." }),
  saml: samlShown.optional().meta({ description: "Missing: it is of another kind." }),
  attributes: z.object({ ...attributes, email: z.string(), name: z.string(), groups: z.string() }),
  provisioning,
  roles: z.object({ default: z.string().nullable(), rules: z.array(rule), when }),
  session: z.object({ ...session, maxAgeSeconds: session.maxAgeSeconds.nullable() }),
  discovery,
  outsideDomains,
  redirectUri: z
    .url()
    .optional()
    .meta({ description: "The redirect URI to enter at the identity provider, to the letter." }),
  initiateUri: z.url().optional().meta({ description: "Where a sign-on starts: the initiate login URI." }),
  logoutUri: z
    .url()
    .optional()
    .meta({ description: "Where the provider sends its logout tokens: the back-channel logout URL." }),
  jwksUri: z
    .url()
    .optional()
    .meta({ description: "Where the public keys are of one that proves itself with `private_key_jwt`." }),
  serviceProvider: serviceProvider.optional().meta({ description: "Of the kind `saml` alone." }),
  scimUrl: z.url().meta({ description: "Where the tenant's directory keeps its people (SCIM 2.0), with a token." }),
  directory: z
    .object({ active: z.int(), inactive: z.int(), held: z.int(), groups: z.int(), lastRequestAt: time.nullable() })
    .optional()
    .meta({ description: "What its directory has here. Missing: it has never called." }),
  problems: z.array(problem),
  testedAt: time.nullable().meta({ description: "When a test of this version last succeeded." }),
  lastSignOnAt: time.nullable(),
  lastFailureAt: time.nullable(),
  createdAt: time,
  updatedAt: time,
}));

export type ConnectionView = z.infer<typeof connection>;

export const exportedConnection = described(
  "ExportedConnection",
  "A connection as `POST /tenant/connections` takes it, without its secret.",
  () => {
    const { name: named, provider, ...shape } = connection.unwrap().shape;
    const { attributes: claims, provisioning: people, roles, session: sessions } = shape;
    return {
      ...{ name: named, kind, provider, attributes: claims, roles },
      ...{ oidc: oidcShown.omit({ clientSecret: true }).optional(), saml: samlExported.optional() },
      ...{ provisioning: people, session: sessions, discovery, outsideDomains },
    };
  },
);

export type ExportedConnection = z.infer<typeof exportedConnection>;
