/** Clients in requests and answers. */
import * as z from "zod";
import {
  CLIENT_AUTHS,
  type ClientAuth,
  type ClientKeySet,
  DPOP_MODES,
  GRANT_TYPES,
  type GrantType,
  LATER_SETTINGS,
  SIGN_IN_SCOPES,
} from "../../base/schemas/client-settings";
import { described, id, nextCursor, time } from "../../base/schemas/schemas";
import { stepUpFields } from "../../identity/accounts/step-up-schemas";
import { externalId } from "../../tenancy/directory/schemas";
import { tenantName } from "../../tenancy/tenants/name";
import { refusalOfKeys } from "./key-set";
import { refusalOf } from "./redirect-urls";

const MAX_URL_CHARACTERS = 512;
const link = z
  .url({ protocol: /^https$/ })
  .max(MAX_URL_CHARACTERS)
  .nullable();
const tenantNames = z.array(z.string().min(1).max(200)).min(1).max(100).nullable();

const clientResource = z
  .strictObject({
    identifier: z.string().min(1).max(256),
    scopes: z.array(z.string().min(1).max(100)).min(1).max(100),
  })
  .meta({
    id: "ClientResource",
    description: "An API, and its scopes that the app may ask for; `*`: all.",
    examples: [{ identifier: "https://notes.example.com/mcp", scopes: ["*"] }],
  });

/** What can be changed, without defaults. */
const settings = {
  logoUrl: link.meta({ description: "Shown where people are asked, and loaded by their browsers." }),
  homepageUrl: link,
  privacyUrl: link.meta({ description: "Shown where people are asked; so is `termsUrl`." }),
  termsUrl: link,
  initiateLoginUrl: link.meta({ description: "Where our pages lead people who did not come from the app." }),
  backchannelLogoutUrl: z
    .string()
    .min(1)
    .max(MAX_URL_CHARACTERS)
    .nullable()
    .meta({
      description:
        "Where the app is told when a sign-in ends, by a signed `logout_token` (OpenID Connect Back-Channel Logout " +
        "1.0). By the rule of subscriptions' URLs.",
      examples: ["https://app.example.com/auth/backchannel-logout"],
    }),
  jwks: z
    .object({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(10) })
    .nullable()
    .meta({
      description: "The public keys of an app with `private_key_jwt`, as JWKs for RS256, PS256, ES256 or EdDSA.",
    }),
  jwksUrl: link.meta({
    description: "Where the app publishes these keys, in place of `jwks`. They are read again after five minutes.",
    examples: ["https://app.example.com/.well-known/jwks.json"],
  }),
  redirectUrls: z
    .array(z.string().min(1).max(MAX_URL_CHARACTERS))
    .max(20)
    .meta({
      description:
        "Where the app gets its codes: https, or http of localhost. The exact URL must be sent. `native` apps may " +
        "use a scheme of their own, and any port of localhost.",
      examples: [["https://app.example.com/auth/callback"]],
    }),
  postLogoutUrls: z
    .array(z.string().min(1).max(MAX_URL_CHARACTERS))
    .max(20)
    .meta({ description: "Where people may go after they have signed out; by the rule of `redirectUrls`." }),
  grants: z
    .array(z.enum(GRANT_TYPES))
    .min(1)
    .max(GRANT_TYPES.length)
    .meta({
      description:
        "`refresh_token`: people who allow `offline_access` stay connected without a session. `device_code`: they " +
        "sign in on another device (RFC 8628).",
    }),
  scopes: z.array(z.enum(SIGN_IN_SCOPES)).min(1).max(SIGN_IN_SCOPES.length),
  resources: z
    .array(clientResource)
    .max(20)
    .meta({ description: "The APIs whose tokens the app may get, and with which of their scopes." }),
  consent: z
    .enum(["ask", "skip"])
    .meta({ description: "`skip`, for an app of your own: people are not asked. Set by an operator's session alone." }),
  tenants: tenantNames.meta({
    description: "The only tenants whose members get through, by id or as `ext:<externalId>`. Null: all.",
  }),
  unverifiedEmail: z.boolean().meta({ description: "Whether people get through whose address is unverified." }),
  pkce: z.enum(["required", "optional"]),
  pushedOnly: z.boolean().meta({ description: "Whether the app must push its requests (RFC 9126)." }),
  dpop: z.enum(DPOP_MODES).meta({
    description: "Whether access tokens are bound to a key of the app (RFC 9449): `allowed`, when it shows one.",
  }),
  acr: z
    .enum(["mfa", "phr"])
    .nullable()
    .meta({ description: "What each sign-in must have: a second factor (`mfa`), or a passkey (`phr`)." }),
  idTokenAlgorithm: z.enum(["EdDSA", "ES256", "RS256"]),
  idTokenClaims: z.boolean().meta({ description: "Whether ID tokens have the claims that userinfo has." }),
  accessTokenSeconds: z.int().min(60).max(900),
  idTokenSeconds: z.int().min(60).max(3600),
  idleDays: z.int().min(1).max(90).meta({ description: "How long a connection lasts that the app does not use." }),
  maxDays: z.int().min(1).max(365).meta({ description: "How long a connection lasts at most." }),
};

const fixed = {
  type: z.enum(["web", "native"]),
  auth: z.enum(CLIENT_AUTHS).meta({
    description: "How the app proves itself: by `secret`, by its keys in `jwks`, or, as all `native` apps, not at all.",
  }),
};

type Given = { [Name in keyof typeof settings]?: z.output<(typeof settings)[Name]> | undefined };

/** The problems of a client as it would be stored. */
export function problemsOf({
  type,
  auth,
  pkce,
  redirectUrls = [],
  postLogoutUrls = [],
  grants,
  idleDays = LATER_SETTINGS.idleDays,
  maxDays = LATER_SETTINGS.maxDays,
  jwks = null,
  jwksUrl = null,
}: Given & { type: "web" | "native"; auth: ClientAuth }): { path: string; message: string }[] {
  const urls = Object.entries({ redirectUrls, postLogoutUrls }).flatMap(([field, list]) =>
    list.flatMap((url, index) => {
      const message = refusalOf(url, type);
      return message === null ? [] : [{ path: `${field}.${index}`, message }];
    }),
  );
  return [
    ...(type === "native" && auth !== "none" ? [{ path: "auth", message: "A native app can keep no secret" }] : []),
    ...(auth === "none" && pkce === "optional" ? [{ path: "pkce", message: "Needed by an app without a secret" }] : []),
    ...problemsOfGrants(auth, grants),
    ...(redirectUrls.length === 0 && grants?.includes("authorization_code")
      ? [{ path: "redirectUrls", message: "Needed by an app that people sign in to" }]
      : []),
    ...problemsOfKeys(auth, jwks, jwksUrl),
    ...(idleDays > maxDays ? [{ path: "idleDays", message: "Must be at most maxDays" }] : []),
    ...urls,
  ];
}

function problemsOfGrants(
  auth: ClientAuth,
  grants: readonly GrantType[] | undefined,
): { path: string; message: string }[] {
  const has = (grant: GrantType) => grants?.includes(grant) === true;
  return [
    ...(auth === "none" && has("client_credentials")
      ? [{ path: "grants", message: "Must have no client_credentials: the app proves nothing" }]
      : []),
    ...(has("refresh_token") && !has("authorization_code") && !has("device_code")
      ? [{ path: "grants", message: "Must include authorization_code or device_code" }]
      : []),
  ];
}

function problemsOfKeys(
  auth: ClientAuth,
  jwks: ClientKeySet | null,
  jwksUrl: string | null,
): { path: string; message: string }[] {
  const path = jwks === null && jwksUrl !== null ? "jwksUrl" : "jwks";
  if (auth !== "private_key_jwt") {
    const isGiven = jwks !== null || jwksUrl !== null;
    return isGiven ? [{ path, message: "Only for an app with private_key_jwt" }] : [];
  }
  if ((jwks === null) === (jwksUrl === null)) {
    return [{ path, message: "private_key_jwt needs either jwks or jwksUrl" }];
  }
  const message = jwks === null ? null : refusalOfKeys(jwks);
  return message === null ? [] : [{ path, message }];
}

const document = z
  .record(z.string(), z.unknown())
  .optional()
  .meta({ description: "Of an app by its document: the copy that serves when it cannot be fetched." });

const name = tenantName.meta({ description: "Shown to people. One line without a host or URL.", examples: ["Shop"] });

export const newClient = z
  .strictObject({
    name: name.optional().meta({ description: "Shown to people. One line without a host or URL. Needed to register." }),
    clientId: z
      .string()
      .max(256)
      .optional()
      .meta({
        description: "The URL of the document of an app that is to be listed; then no other setting but `document`.",
        examples: ["https://claude.ai/oauth/mcp-oauth-client-metadata"],
      }),
    document,
    externalId: externalId.optional(),
    type: fixed.type.default("web"),
    auth: fixed.auth.optional(),
    logoUrl: settings.logoUrl.default(null),
    homepageUrl: settings.homepageUrl.default(null),
    privacyUrl: settings.privacyUrl.default(null),
    termsUrl: settings.termsUrl.default(null),
    initiateLoginUrl: settings.initiateLoginUrl.default(null),
    backchannelLogoutUrl: settings.backchannelLogoutUrl.default(null),
    jwks: settings.jwks.default(null),
    jwksUrl: settings.jwksUrl.default(null),
    redirectUrls: settings.redirectUrls.default([]),
    postLogoutUrls: settings.postLogoutUrls.default([]),
    grants: settings.grants.default([...LATER_SETTINGS.grants]),
    scopes: settings.scopes.default([...SIGN_IN_SCOPES]),
    resources: settings.resources.default([]),
    consent: settings.consent.default("ask"),
    tenants: settings.tenants.default(null),
    unverifiedEmail: settings.unverifiedEmail.default(false),
    pkce: settings.pkce.default("required"),
    pushedOnly: settings.pushedOnly.default(LATER_SETTINGS.pushedOnly),
    dpop: settings.dpop.default(LATER_SETTINGS.dpop),
    acr: settings.acr.default(null),
    idTokenAlgorithm: settings.idTokenAlgorithm.default("RS256"),
    idTokenClaims: settings.idTokenClaims.default(true),
    accessTokenSeconds: settings.accessTokenSeconds.default(900),
    idTokenSeconds: settings.idTokenSeconds.default(600),
    idleDays: settings.idleDays.default(LATER_SETTINGS.idleDays),
    maxDays: settings.maxDays.default(LATER_SETTINGS.maxDays),
    ...stepUpFields,
  })
  .transform((given) => ({ ...given, auth: given.auth ?? (given.type === "native" ? "none" : "secret") }) as const)
  .superRefine((given, context) => {
    if (given.clientId !== undefined) return;
    const unfit = given.document === undefined ? [] : [{ path: "document", message: "Only with clientId" }];
    const nameless = given.name === undefined ? [{ path: "name", message: "Needed" }] : [];
    for (const { path, message } of [...nameless, ...unfit, ...problemsOf(given)]) {
      context.addIssue({ code: "custom", path: path.split("."), message });
    }
  })
  .meta({ id: "OauthClientInput", description: "An app to register, and the operator's password or code." });

export const clientChange = z
  .strictObject({ name, ...settings, enabled: z.boolean() })
  .partial()
  .extend({ document, ...stepUpFields })
  .meta({ id: "OauthClientChange", description: "What changes of a client; what is missing stays." });

export const client = described("OauthClient", "An app that people sign in to.", () => ({
  id: z.string().meta({ examples: ["pc_4fG7h0123456789ABCDEFGHIJKLM"] }),
  owner: z.enum(["platform", "tenant"]),
  kind: z
    .enum(["registered", "metadata"])
    .meta({ description: "`metadata`: listed by the URL of its document, which is its `id`." }),
  document: document.meta({ description: "Of an app that is listed, where it is read alone: the copy." }),
  externalId: z.string().nullable(),
  name: z.string(),
  ...fixed,
  ...settings,
  tenants: z.array(id).nullable(),
  enabled: z.boolean(),
  secretPrefix: z.string().optional(),
  previousExpiresAt: time.optional().meta({ description: "When the former secret ends, while it still works." }),
  createdAt: time,
  updatedAt: time,
  lastUsedAt: time.nullable(),
}));

export const issuedClient = described("IssuedOauthClient", "A client with its new secret.", () => ({
  ...client.unwrap().shape,
  secret: z.string().optional().meta({ description: "Shown once. Missing for an app without a secret." }),
}));

export const clientPage = z.object({ data: z.array(client), nextCursor });

export type NewClient = z.output<typeof newClient>;
export type ClientChange = z.output<typeof clientChange>;
export type ClientView = z.infer<typeof client>;
