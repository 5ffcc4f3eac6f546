/** `/console/listeners`: the programs that receive deliveries over a connection. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { namesOfTargets } from "../../tenancy/audit/names-store";
import { LISTEN } from "../../webhooks/access";
import { listeners } from "../../webhooks/listen/api";
import { seenListeners, seesAllListeners } from "../../webhooks/listen/changes";
import { flash, page } from "../http/page";
import { Pages } from "../http/pages";
import { Listeners } from "./page";

async function listenersPage(c: Context<AppEnv>) {
  const [deps, principal] = [c.get("deps"), c.get("principal")];
  const rows = await seenListeners(deps, principal);
  const owners = seesAllListeners(principal)
    ? await namesOfTargets(
        deps,
        principal,
        rows.map(({ ownerId }) => ownerId),
      )
    : null;
  return page(c, { title: "Listeners", section: "listeners" }, <Listeners listeners={rows} owners={owners} />);
}

export const listenerPages = new Pages()
  .get("/", requires({ permission: LISTEN.permission }), listenersPage)
  .form("/:id/close", listeners.end, { done: flash("/listeners", "listenerClosed") }).router;
