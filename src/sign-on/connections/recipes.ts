/**
 * What to do at each identity provider, said once: the forms of the console and of setup links show it, and the pages
 * of the documentation are made of it.
 */
import type { ConnectionProvider } from "../../base/schemas/connection-settings";

/** Addresses of a connection that are entered at its provider, by their members in answers. */
export const ADDRESSES = {
  redirectUri: "redirect URI",
  initiateUri: "initiate login URI",
  logoutUri: "back-channel logout URL",
} as const;
export type AddressName = keyof typeof ADDRESSES;

interface RecipeStep {
  text: string;
  /** What is copied there: addresses of the connection, and texts by their labels. */
  addresses?: readonly AddressName[];
  texts?: Readonly<Record<string, string>>;
}

interface Recipe {
  title: string;
  /** What an issuer looks like; empty: of any form. */
  issuer: string;
  /** The claim that names a person for good. */
  subject: "sub" | "oid";
  steps: readonly RecipeStep[];
  /** How groups give roles. */
  groups: string;
  /** Whether people can be provisioned by a directory. */
  directory: string;
}

const TEST = "Test the connection here, and follow what the trace says.";

export const PROVIDER_RECIPES: Readonly<Record<ConnectionProvider, Recipe>> = {
  okta: {
    title: "Okta",
    issuer: "https://<org>.okta.com",
    subject: "sub",
    steps: [
      { text: "In the Admin Console, open Applications and create an app integration: OIDC, Web Application." },
      {
        text: "Leave the grant type at Authorization Code. Enter the sign-in redirect URI, to the letter.",
        addresses: ["redirectUri"],
      },
      {
        text: "Below General, let “Either Okta or App” initiate the login, for Okta's tile, and enter the URI.",
        addresses: ["initiateUri"],
      },
      {
        text: "For roles by groups, add a groups claim to the ID token below Sign On: type Filter, matches regex.",
        texts: { "the name of the claim": "groups", "the filter": ".*" },
      },
      { text: "Assign the people or groups who may sign in." },
      {
        text: "Copy the client ID and the client secret here. The issuer is the address of your org, not of its admin.",
      },
      { text: TEST },
    ],
    groups: "The claim `groups` with a filter, in the ID token of the org's own server.",
    directory: "SCIM 2.0.",
  },
  entra: {
    title: "Microsoft Entra ID",
    issuer: "https://login.microsoftonline.com/<id>/v2.0",
    subject: "oid",
    steps: [
      { text: "In the Entra admin center, open App registrations and register an app for this directory only." },
      { text: "Add the platform Web, and enter the redirect URI, to the letter.", addresses: ["redirectUri"] },
      {
        text: "Below Token configuration, add the optional claim to the ID token.",
        texts: { "the name of the claim": "email" },
      },
      { text: "For roles, make app roles and assign them, or add a groups claim: above 200 groups Entra sends none." },
      {
        text: "Below Certificates & secrets, make a client secret. Copy its value and the application ID here.",
      },
      {
        text: "Enter the issuer with the ID of your directory (tenant), and the claim that names a person for good.",
        texts: { "the claim of the subject": "oid" },
      },
      { text: TEST },
    ],
    groups: "The object ids of groups, and none at all of whoever is in more than 200: app roles, or the directory.",
    directory: "SCIM 2.0; add `?aadOptscim062020` to the tenant URL.",
  },
  google: {
    title: "Google Workspace",
    issuer: "https://accounts.google.com",
    subject: "sub",
    steps: [
      { text: "Prove your domain below Domains first: Google's accounts are known by it." },
      { text: "In the Google Cloud console, set the audience of a project of your organisation to Internal." },
      {
        text: "Create an OAuth client of the type Web application, and enter the redirect URI, to the letter.",
        addresses: ["redirectUri"],
      },
      {
        text: "Copy the client ID and the client secret here, and the issuer.",
        texts: { "the issuer": "https://accounts.google.com" },
      },
      { text: TEST },
    ],
    groups: "Google sends none.",
    directory: "None for own apps.",
  },
  keycloak: {
    title: "Keycloak",
    issuer: "https://<host>/realms/<realm>",
    subject: "sub",
    steps: [
      { text: "In your realm, create a client of the type OpenID Connect." },
      { text: "Turn client authentication on, and leave the standard flow on." },
      { text: "Enter the valid redirect URI, to the letter.", addresses: ["redirectUri"] },
      {
        text: "For roles by groups, add the mapper Group Membership to its dedicated scope, without the full path.",
        texts: { "the token claim name": "groups" },
      },
      {
        text: "Enter the back-channel logout URL, so that signing out there signs out here.",
        addresses: ["logoutUri"],
      },
      { text: "Give everybody an address, and turn “Email verified” on: without it Keycloak says that it is not." },
      { text: "Copy the client ID and, from Credentials, the client secret here. The issuer names the realm." },
      { text: TEST },
    ],
    groups: "The mapper Group Membership, without the full path.",
    directory: "None built in.",
  },
  other: {
    title: "Another provider",
    issuer: "",
    subject: "sub",
    steps: [
      { text: "Register a web application for OpenID Connect with the authorization code." },
      { text: "Enter the redirect URI, to the letter.", addresses: ["redirectUri"] },
      {
        text: "Let it send these claims, in the ID token or from userinfo.",
        texts: { "the claims": "sub email name" },
      },
      {
        text: "If it has a back-channel logout, enter its URL, so that signing out there signs out here.",
        addresses: ["logoutUri"],
      },
      { text: "Copy the client ID, the client secret and the issuer here." },
      { text: TEST },
    ],
    groups: "A claim with a list of names, `groups` unless you name another.",
    directory: "SCIM 2.0, if it has that.",
  },
};
