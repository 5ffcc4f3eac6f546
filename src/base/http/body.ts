/** Request bodies: of limited size, and JSON only. */
import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { AppError } from "../errors";
import { isForm } from "../media-type";
import { BODY_KIB } from "../operation";
import { accessOf } from "./access";
import type { AppEnv } from "./env";
import { documented } from "./route-docs";

const KIB = 1024;
const NDJSON_TYPE = /^application\/x-ndjson\s*(?:;|$)/i;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * Reads the body. 413 for one larger than its operation takes, by its `Content-Length` or while it is read. Must come
 * before authentication: otherwise a thief could send the headers of a write, and its body after the stolen token was
 * revoked.
 */
export const limitBody = documented(
  createMiddleware<AppEnv>((c, next) => {
    const maxKiB = accessOf(c).bodyKiB ?? BODY_KIB;
    const bounded = bodyLimit({
      maxSize: maxKiB * KIB,
      onError: () => {
        throw new AppError("PAYLOAD_TOO_LARGE", { message: `The body is larger than ${maxKiB} KiB.` });
      },
    });
    return bounded(c, async () => {
      await c.req.arrayBuffer().catch(() => {
        throw new AppError("INVALID_JSON", { message: "The body broke off." });
      });
      await next();
    });
  }),
  { errors: ["PAYLOAD_TOO_LARGE"] },
);

/**
 * 415 for a body that is neither JSON nor, where the operation takes it, NDJSON or a form. A request without a body
 * needs no content type.
 */
export const jsonOnly = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    const type = c.req.header("content-type");
    const isEmpty = c.req.raw.body === null || c.req.header("content-length") === "0";
    const { takesNdjson, takesForm } = accessOf(c);
    const isTaken = (type && JSON_TYPE.test(type)) || (isNdjson(c) && takesNdjson) || (isForm(type) && takesForm);
    if (!isEmpty && !isTaken) throw new AppError("UNSUPPORTED_MEDIA_TYPE");
    await next();
  }),
  { errors: ["UNSUPPORTED_MEDIA_TYPE"] },
);

/** Whether the body is a JSON value a line. */
export const isNdjson = (c: Context<AppEnv>): boolean => NDJSON_TYPE.test(c.req.header("content-type") ?? "");

/** 415 for a body that is not NDJSON. */
export const ndjsonOnly = createMiddleware<AppEnv>(async (c, next) => {
  if (!isNdjson(c)) throw new AppError("UNSUPPORTED_MEDIA_TYPE", { message: "Send the body as application/x-ndjson." });
  await next();
});

/**
 * Reads the body as text before it is parsed, so that a handler can take values out of it byte for byte. 400 unless it
 * is UTF-8.
 */
export const keepBodyText = createMiddleware<AppEnv>(async (c, next) => {
  const bytes = await c.req.arrayBuffer();
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    c.req.bodyCache = { text: Promise.resolve(text) as unknown as string };
  } catch {
    throw new AppError("INVALID_JSON", { message: "The body is not UTF-8." });
  }
  await next();
});
