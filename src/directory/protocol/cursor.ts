/** Cursors of lists (RFC 9865): the resource after which a page begins, and until when the cursor can be used. */
import { CURSOR_SECONDS } from "./discovery";
import { ScimError } from "./error";

const CURSOR = /^([0-9a-z]{1,10})\.([0-9a-f-]{36})$/;

export const cursorAfter = (id: string, nowMs: number): string =>
  `${(Math.floor(nowMs / 1000) + CURSOR_SECONDS).toString(36)}.${id}`;

/** The id after which a page begins; null for the first. Throws 400 `invalidCursor` and `expiredCursor`. */
export function placeOfCursor(cursor: string | null, nowMs: number): string | null {
  if (cursor === null || cursor === "") return null;
  const [, endsAt = "", id = ""] = CURSOR.exec(cursor) ?? [];
  if (id === "") throw new ScimError(400, "The cursor is none of ours.", "invalidCursor");
  if (Number.parseInt(endsAt, 36) * 1000 < nowMs) throw new ScimError(400, "The cursor has expired.", "expiredCursor");
  return id;
}
