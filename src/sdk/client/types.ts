/** Types that several nouns of the API share. */

/** A moment in ISO 8601, UTC, with milliseconds: `2026-11-21T16:04:18.000Z`. */
export type Timestamp = string;

/** What a member may do; the roles and their permissions are listed in the README. */
export type Role = "owner" | "admin" | "operator" | "developer" | "viewer" | "member";

/** One right, held by a role and granted to an API key as a scope. */
export type Permission =
  | "webhook.create"
  | "webhook.read"
  | "webhook.update"
  | "webhook.delete"
  | "event.publish"
  | "member.read"
  | "member.manage"
  | "audit.read";

/** An account's space: its members, subscriptions, events and API keys. */
export type Tenant = { id: string; name: string };
