/**
 * What to do at each identity provider for SAML 2.0, said once: the forms of the console and of setup links show it,
 * and the page of the documentation is made of it.
 */
import type { ConnectionProvider } from "../../base/schemas/connection-settings";
import type { SamlService } from "./party";

/** Our addresses that are entered at a provider, by their members in answers. */
export const SAML_ADDRESSES: Readonly<Record<keyof SamlService, string>> = {
  entityId: "entity ID",
  acsUrl: "ACS URL",
  metadataUrl: "metadata URL",
};

interface SamlStep {
  text: string;
  addresses?: readonly (keyof SamlService)[];
  /** What is copied there, by its label. */
  texts?: Readonly<Record<string, string>>;
}

const BOTH = ["entityId", "acsUrl"] as const;
const TEST: SamlStep = { text: "Test the connection here, and follow what the trace says." };

export const SAML_RECIPES: Readonly<Record<ConnectionProvider, readonly SamlStep[]>> = {
  okta: [
    { text: "In the Admin Console, open Applications and create an app integration: SAML 2.0." },
    {
      text:
        "Enter the ACS URL as the single sign-on URL, also for recipient and destination, and the entity ID as " +
        "the audience URI.",
      addresses: ["acsUrl", "entityId"],
    },
    {
      text: "Choose the name ID format Persistent and, as the application username, this custom expression.",
      texts: { "the application username": 'user.getInternalProperty("id")' },
    },
    {
      text: "Add these attribute statements and, for roles, a group attribute statement named groups.",
      texts: { "the attribute of the address": "email", "the attribute of the name": "name" },
    },
    { text: "Leave the assertion signed and not encrypted. Assign the people or groups who may sign in." },
    { text: "Copy the metadata URL from the tab Sign On to here." },
    TEST,
  ],
  entra: [
    { text: "In the Entra admin center, open Enterprise applications and create your own, not in the gallery." },
    { text: "Below Single sign-on, choose SAML. Enter the identifier and the reply URL.", addresses: BOTH },
    { text: "Below Attributes & Claims, set the unique user identifier to user.objectid, in the format Persistent." },
    {
      text:
        "For roles, add a group claim with the groups assigned to the application: above 150 groups Entra sends " +
        "none.",
    },
    { text: "Let it sign the assertion, which is the default, and do not set up token encryption." },
    { text: "Assign people, and copy the app federation metadata URL to here." },
    TEST,
  ],
  google: [
    { text: "In the Admin console, open Apps, Web and mobile apps, and add a custom SAML app." },
    { text: "Download its metadata, and paste it here." },
    { text: "Enter the ACS URL and the entity ID. Leave “Signed response” off.", addresses: ["acsUrl", "entityId"] },
    {
      text: "Map the primary email to the first of these attributes and, for roles, groups to the second.",
      texts: { "the attribute of the address": "email", "the attribute of the groups": "groups" },
    },
    { text: "Turn the app on for the people who may sign in." },
    TEST,
  ],
  keycloak: [
    {
      text: "In your realm, create a client of the type SAML. Its client ID is the entity ID.",
      addresses: ["entityId"],
    },
    {
      text: "Enter the ACS URL as the valid redirect URI and as the master SAML processing URL.",
      addresses: ["acsUrl"],
    },
    {
      text:
        "Turn “Sign assertions” on, “Encrypt assertions” and the client signature off, and force the name ID " +
        "format persistent.",
    },
    {
      text: "Add a mapper for the email, and for roles the mapper Group list, single and without the full path.",
      texts: { "the attribute of the address": "email", "the attribute of the groups": "groups" },
    },
    {
      text: "Enter the metadata URL of the realm here.",
      texts: { "what it looks like": "https://<host>/realms/<realm>/protocol/saml/descriptor" },
    },
    TEST,
  ],
  other: [
    {
      text: "Create an application for SAML 2.0, from our metadata if the provider takes it.",
      addresses: ["metadataUrl"],
    },
    { text: "Else enter the entity ID (audience) and the ACS URL (recipient).", addresses: BOTH },
    {
      text:
        "Let it sign the assertion with SHA-256, without encryption, and send a NameID that stays, of the format " +
        "persistent.",
    },
    {
      text: "Let it send these attributes.",
      texts: { "the attribute of the address": "email", "that of the name": "name", "that of the groups": "groups" },
    },
    { text: "Paste its metadata here, or enter where it is." },
    TEST,
  ],
};
