/** The request of somebody who is not signed in yet. */
import type { Context } from "hono";
import type { Visit } from "../schemas/visit";
import { deviceOf } from "./device";
import type { AppEnv } from "./env";
import { originOf } from "./origin";

export const visitOf = (c: Context<AppEnv>): Visit => ({ device: deviceOf(c), origin: originOf(c) });
