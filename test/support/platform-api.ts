/** Calls of `/platform`, as the product makes them. */
import { newEmail } from "./client";
import { callAs, newPlatformKey } from "./platform-keys";

export const MISSING = "0190a0a0-0000-7000-8000-000000000000";
export const newExternalId = () => `ext-${crypto.randomUUID()}`;
export let all = "";
/** Makes a key with all scopes, with which the calls are made. */
export async function openPlatform(): Promise<void> {
  all = (await newPlatformKey()).key;
}
export const as = (key: string, method: string, path: string, body?: unknown) =>
  callAs(key, "", method, `/platform${path}`, body);
export const send = (method: string, path: string, body?: unknown) => as(all, method, path, body);
export const data = async (method: string, path: string, body?: unknown) => (await send(method, path, body)).body.data;
export const newTenant = (fields: object = {}) => data("POST", "/tenants", { name: "Shop", ...fields });
export const newUser = (fields: object = {}) => data("POST", "/users", { email: newEmail(), ...fields });
export const auditOf = async (tenantId: string, query = "limit=1") =>
  (await callAs(all, tenantId, "GET", `/audit?${query}`)).body.data;
