/** `/auth/passkeys`: the passkeys of the signed-in user. */
import { Hono } from "hono";
import { z } from "zod";
import type { AppEnv } from "../../platform/http/env";
import { sessionOf, sessionOnly } from "../../platform/http/permissions";
import { byUser, limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { body } from "../../platform/http/validate";
import { dataOf, says } from "../../platform/schemas/schemas";
import { addPasskey, removePasskey, renamePasskey, startPasskey } from "./own";
import { newPasskey, passkeyChange } from "./schemas";
import { listPasskeysOfUser } from "./store";
import { creationOptions, passkey } from "./webauthn/schemas";
import { passkeyView } from "./webauthn/view";

const limited = limit("passkeys", byUser);

export const passkeyRoutes = new Hono<AppEnv>()
  .post(
    "/options",
    describeRoute("startPasskey", "What a page gives to `navigator.credentials.create` to make a passkey.", {
      200: dataOf(creationOptions),
      errors: ["STEP_UP_REQUIRED", "CONFLICT"],
      description: "Needs a sign-in or a step-up within the last ten minutes.",
    }),
    sessionOnly,
    limited,
    async (c) => c.json({ data: await startPasskey(c.get("deps"), sessionOf(c)) }),
  )
  .post(
    "/",
    describeRoute("addPasskey", "Adds the passkey that the authenticator has made.", {
      201: { body: dataOf(passkey), id: "/data/id" },
      errors: ["STEP_UP_REQUIRED", "CONFLICT"],
      description: "Needs a sign-in or a step-up within the last ten minutes. The user is told by mail.",
    }),
    sessionOnly,
    limited,
    body(newPasskey),
    async (c) => c.json({ data: await addPasskey(c.get("deps"), sessionOf(c), c.req.valid("json")) }, 201),
  )
  .get(
    "/",
    describeRoute("listPasskeys", "The user's passkeys, oldest first.", { 200: dataOf(z.array(passkey)) }),
    sessionOnly,
    async (c) => {
      const rows = await listPasskeysOfUser(c.get("deps"), sessionOf(c).userId);
      return c.json({ data: rows.map(passkeyView) });
    },
  )
  .patch(
    "/:id",
    describeRoute("renamePasskey", "Renames a passkey of the user.", {
      200: says("Passkey renamed."),
      errors: ["NOT_FOUND"],
    }),
    sessionOnly,
    limited,
    body(passkeyChange),
    async (c) => {
      await renamePasskey(c.get("deps"), sessionOf(c), c.req.param("id"), c.req.valid("json").name);
      return c.json({ message: "Passkey renamed." });
    },
  )
  .delete(
    "/:id",
    describeRoute("removePasskey", "Removes a passkey of the user. Sessions opened with it stay.", {
      200: says("Passkey removed."),
      errors: ["STEP_UP_REQUIRED", "NOT_FOUND", "CONFLICT"],
      description:
        "Needs a sign-in or a step-up within the last ten minutes. The user is told by mail. `CONFLICT`: it is the " +
        "last way to sign in.",
    }),
    sessionOnly,
    limited,
    async (c) => {
      await removePasskey(c.get("deps"), sessionOf(c), c.req.param("id"));
      return c.json({ message: "Passkey removed." });
    },
  );
