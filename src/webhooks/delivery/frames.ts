/** What goes over the socket of a listener: JSON texts. The documentation describes them under the same names. */
import * as z from "zod";
import { toBase64, utf8 } from "../../base/crypto/encoding";
import { jsonOf } from "../../base/json";

export const SUBPROTOCOL = "postern.listen.v1";

/** Why the service closes a socket. */
export const CLOSED = {
  replaced: [4001, "A newer socket of the listener is open."],
  revoked: [4003, "The session or the key may not listen any more."],
  gone: [4004, "The listener is closed."],
  malformed: [4008, "Not a JSON text of at most 1 MiB."],
} as const satisfies Record<string, readonly [code: number, reason: string]>;

const MAX_FRAME_BYTES = 1024 * 1024;
const MAX_BODY_BYTES = 16 * 1024;
const MAX_ERROR_CHARACTERS = 200;

/** What the program at the other end made of a delivery. */
export type ListenerAnswer = { status: number; headers: Record<string, string>; body: string } | { error: string };

const answerFrame = z.union([
  z.object({
    t: z.literal("answer"),
    id: z.string(),
    status: z.int().min(200).max(599),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().default(""),
  }),
  z.object({ t: z.literal("answer"), id: z.string(), error: z.string().min(1).max(MAX_ERROR_CHARACTERS) }),
]);

/** The first frame of a socket. `id` is the listener's. */
export const readyFrame = (id: string): string => JSON.stringify({ t: "ready", id });

/** A delivery. `id` is the attempt's. */
export const eventFrame = (id: string, headers: Record<string, string>, body: string): string =>
  JSON.stringify({ t: "event", id, headers, body: toBase64(utf8(body)) });

/** Reads a message of the other end. Frames of other kinds are to be ignored. */
export function readFrame(
  message: string | ArrayBuffer,
): { id: string; answer: ListenerAnswer } | "ignored" | "malformed" {
  // A character has at least one byte, so most messages that are too long are not even encoded.
  if (typeof message !== "string" || message.length > MAX_FRAME_BYTES) return "malformed";
  if (utf8(message).length > MAX_FRAME_BYTES) return "malformed";
  const value = jsonOf(message);
  if (value === undefined) return "malformed";
  const { success, data } = answerFrame.safeParse(value);
  if (!success) return "ignored";
  if ("error" in data) return { id: data.id, answer: { error: data.error } };
  const { id, status, headers, body } = data;
  return { id, answer: { status, headers: lowerCased(headers), body: firstBytes(body) } };
}

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value]));

/** Leaves out a character that is cut off at the end. */
const firstBytes = (body: string): string =>
  new TextDecoder().decode(utf8(body).subarray(0, MAX_BODY_BYTES), { stream: true });
