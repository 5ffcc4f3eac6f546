/** The request of somebody who is not signed in yet. */
import type { Context } from "hono";
import type { ClientContext } from "../schemas/client-context";
import { localeOf } from "../texts/texts";
import { deviceOf } from "./device";
import type { AppEnv } from "./env";
import { originOf } from "./origin";

export const clientContextOf = (c: Context<AppEnv>): ClientContext => ({
  device: deviceOf(c),
  locale: localeOf(c.req.header("accept-language")) ?? null,
  origin: originOf(c),
});
