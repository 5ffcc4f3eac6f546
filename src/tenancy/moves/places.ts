/**
 * Where the rows of a tenant are. After a move, what was published before it stays in the former database until
 * retention has removed it, and reads ask both.
 */
import type { TenantRef } from "../../base/schemas/tenant-ref";

/** The tenant in its present database, and after a move also in its former one. */
export const placesOf = <T extends TenantRef>(tenant: T): [T, ...T[]] =>
  typeof tenant.formerShard === "number" ? [tenant, { ...tenant, shard: tenant.formerShard }] : [tenant];

/** Reads in every place at once. */
export const inEach = <T extends TenantRef, R>(tenant: T, read: (place: T) => Promise<R>): Promise<R[]> =>
  Promise.all(placesOf(tenant).map(read));

/**
 * Returns the result in the first place in which something is found; that of the present database if nothing is found
 * anywhere.
 */
export async function whereFound<T extends TenantRef, R>(
  tenant: T,
  read: (place: T) => Promise<R>,
  isFound: (result: R) => boolean,
): Promise<R> {
  const [present, ...former] = placesOf(tenant);
  const first = await read(present);
  if (isFound(first)) return first;
  for (const place of former) {
    const result = await read(place);
    if (isFound(result)) return result;
  }
  return first;
}
