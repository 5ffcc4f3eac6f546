/** What to do at each identity provider. */
import type { ConnectionProvider } from "../../base/schemas/connection-settings";

interface Recipe {
  title: string;
  steps: readonly string[];
}

const REDIRECT = "Enter the redirect URI below, to the letter.";
const COPY = "Copy the client ID and the client secret into this connection.";

export const CONNECTION_RECIPES: Readonly<Record<ConnectionProvider, Recipe>> = {
  okta: {
    title: "Okta",
    steps: [
      "In Okta, create an app integration: OIDC, web application, authorization code.",
      `${REDIRECT} Enter the initiate login URI, so that Okta's tile signs on.`,
      "For roles by groups, add the claim groups to the ID token, with a filter.",
      COPY,
    ],
  },
  entra: {
    title: "Microsoft Entra ID",
    steps: [
      "In Entra, register an app for accounts of this directory only.",
      `${REDIRECT} Its platform is Web.`,
      "Below token configuration, add the optional claim email to the ID token, and app roles or groups for roles.",
      "Create a client secret, and copy its value and the application ID into this connection.",
    ],
  },
  google: {
    title: "Google Workspace",
    steps: [
      "In the Google Cloud console, set the audience of the project to Internal.",
      `Create an OAuth client of the type web application. ${REDIRECT}`,
      COPY,
      "Prove your domain below Domains: Google's accounts are known by it.",
    ],
  },
  keycloak: {
    title: "Keycloak",
    steps: [
      "In your realm, create a client of the type OpenID Connect, with client authentication and the standard flow.",
      `Below valid redirect URIs: ${REDIRECT.toLowerCase()}`,
      "For roles by groups, add the mapper Group Membership with the claim groups, without the full path.",
      "Enter the back-channel logout URL, so that signing out there signs out here.",
      "Copy the client ID and, from Credentials, the client secret into this connection.",
    ],
  },
  other: {
    title: "Another provider",
    steps: [
      "Register a web application for OpenID Connect with the authorization code.",
      REDIRECT,
      `Let it send the claims sub, email and name. ${COPY}`,
    ],
  },
};
