/** Event types and their versions as they are stored. */
import type { Breaks } from "./json-schema/compare";
import type { Enforcement } from "./schemas";

export interface Deprecation {
  /** Unix ms. */
  since: number;
  note?: string | undefined;
  replacedBy?: string | undefined;
}

/** An event type without its schema. Times are Unix ms. */
export interface TypeRow {
  name: string;
  /** Who has declared it. What the platform declares holds in every tenant. */
  scope: "tenant" | "platform";
  /** Whether the platform has declared a type of the same name, which counts instead. */
  isShadowed: 0 | 1;
  description: string | null;
  heading: string | null;
  enforce: Enforcement;
  isArchived: 0 | 1;
  deprecated: Deprecation | null;
  latestVersion: number;
  warnedCount: number;
  warnedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

/** A version of a schema; version 0 has none. */
export interface VersionRow {
  version: number;
  schema: unknown;
  examples: unknown[] | null;
  breaks: Breaks | null;
  createdAt: number;
}
