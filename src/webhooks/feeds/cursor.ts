/** Cursors: a place in one feed, as opaque text. Nothing appears before a cursor later, so readers can keep it. */
import { invalidField } from "../../base/errors";

const FORM = /^([0-9a-z]{1,11})-([0-9a-f]{12})$/;
/** The random end of a feed's id tells its cursors from those of others. */
const endOf = (feedId: string): string => feedId.slice(-12);

export const makeCursor = (feedId: string, position: number): string => `${position.toString(36)}-${endOf(feedId)}`;

/** The position of a cursor of this feed. Throws VALIDATION_FAILED for anything else. */
export function positionOf(feedId: string, cursor: string): number {
  const [, position = "", end] = FORM.exec(cursor) ?? [];
  const value = Number.parseInt(position, 36);
  if (end === endOf(feedId) && Number.isSafeInteger(value)) return value;
  throw invalidField("cursor", "Is not a cursor of this feed");
}
