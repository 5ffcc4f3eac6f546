/** The metadata of a row of tenants, users or memberships in D1. */
import { type SQL, sql } from "drizzle-orm";
import { type MetadataChange, storedMetadata } from "./metadata";

/** The columns after the change, and whether it changes them; `changed` names what was given. */
export function nextMetadata({ metadata, publicMetadata }: MetadataChange): {
  set: SQL;
  differs: SQL;
  changed: string[];
} {
  const next = {
    metadata: metadata === undefined ? sql`metadata` : sql`${storedMetadata(metadata)}`,
    publicMetadata: publicMetadata === undefined ? sql`public_metadata` : sql`${storedMetadata(publicMetadata)}`,
  };
  return {
    set: sql`metadata = ${next.metadata}, public_metadata = ${next.publicMetadata}`,
    differs: sql`(metadata IS NOT ${next.metadata} OR public_metadata IS NOT ${next.publicMetadata})`,
    changed: Object.entries({ metadata, publicMetadata }).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    ),
  };
}
