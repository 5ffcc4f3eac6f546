/** Every encrypted column; a test compares the list with the schemas. */

import { hashSettingsOwner } from "../../identity/passwords/imported/settings";
import { totpOwner } from "../../identity/two-factor/codes";
import { connectionOwner, traceOwner } from "../../sign-on/sealed";
import { headersOwner } from "../../webhooks/options/header-options";
import { secretOwner, signingKeyOwner } from "../../webhooks/signing/keys";
import { sourceOwner } from "../../webhooks/sources/secrets";
import { chunkOwner } from "../imports/chunks";
import type { EncryptedColumn } from "./store";

/** A column with the function that returns the associated data of a row's ciphertext. */
export interface OwnedColumn extends EncryptedColumn {
  ownerOf: (...key: string[]) => string;
}

const byId = (ownerOf: (id: string) => string) => ({ key: ["id"], ownerOf: (id = "") => ownerOf(id) });

export const CONTROL_COLUMNS: readonly OwnedColumn[] = [
  { table: "users", column: "totp_secret_encrypted", ...byId(totpOwner) },
  { table: "hash_settings", column: "sealed", ...byId(hashSettingsOwner) },
  {
    table: "import_chunks",
    column: "sealed",
    key: ["import_id", "part", "n"],
    ownerOf: (importId = "", part = "", n = "") => chunkOwner(importId, Number(part), Number(n)),
  },
  // The second factor that a "this was not me" link restores.
  {
    table: "email_tokens",
    column: "action",
    member: "secret",
    key: ["hash", "subject_id"],
    ownerOf: (_hash = "", userId = "") => totpOwner(userId),
  },
  { table: "sources", column: "secrets_sealed", ...byId(sourceOwner) },
  { table: "connections", column: "secret_sealed", ...byId(connectionOwner) },
  {
    table: "sign_on_traces",
    column: "claims_sealed",
    key: ["connection_id", "ring", "slot"],
    ownerOf: (connectionId = "") => traceOwner(connectionId),
  },
];

export const DELIVERY_COLUMNS: readonly OwnedColumn[] = [
  { table: "subscriptions", column: "secret_sealed", ...byId(secretOwner) },
  { table: "subscriptions", column: "headers_sealed", ...byId(headersOwner) },
  {
    table: "signing_keys",
    column: "sealed",
    key: ["subscription_id", "id"],
    ownerOf: (subscriptionId = "", id = "") => signingKeyOwner(subscriptionId, id),
  },
];
