/** `/platform/keys`: the credentials of the product itself, which operators manage. */
import { Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { CONFIRMED } from "../accounts/step-up-schemas";
import { platformKeys } from "./operations";
import { issuedPlatformKey, platformKey } from "./schemas";
import { platformKeyView } from "./view";

export const platformKeyRoutes = new Hono<AppEnv>()
  .post(
    "/",
    describeRoute("createPlatformKey", "Creates a key with which the product itself calls this service.", () => ({
      201: { body: dataOf(issuedPlatformKey), id: "/data/id" },
      errors: ["CONFLICT"],
      description: `Its maker is mailed. The key outlives its maker's account. ${CONFIRMED}`,
    })),
    ...serve(platformKeys.issue, (c, { row, key }) => c.json({ data: { ...platformKeyView(row), key } }, 201)),
  )
  .get(
    "/",
    describeRoute("listPlatformKeys", "The active platform keys, newest first.", () => ({
      200: dataOf(z.array(platformKey)),
    })),
    ...serve(platformKeys.list, (c, keys) => c.json({ data: keys.map(platformKeyView) })),
  )
  .post(
    "/:id/rotate",
    describeRoute(
      "rotatePlatformKey",
      "Replaces a platform key. The former one works for a day longer by default.",
      () => ({
        200: dataOf(issuedPlatformKey),
        errors: ["CONFLICT"],
        description: `409: a former key still works; end it first. ${CONFIRMED}`,
      }),
    ),
    ...serve(platformKeys.rotate, (c, { row, key }) => c.json({ data: { ...platformKeyView(row), key } })),
  )
  .delete(
    "/:id/previous",
    describeRoute("endPreviousPlatformKey", "Ends the former key at once, if one still works.", () => ({
      description: CONFIRMED,
    })),
    ...serve(platformKeys.endPrevious, saying("Former key ended.")),
  )
  .delete(
    "/:id",
    describeRoute("revokePlatformKey", "Revokes a platform key at once, and its former one.", () => ({
      description: CONFIRMED,
    })),
    ...serve(platformKeys.revoke, saying("Platform key revoked.")),
  );
