/** `/operator/sends` and `/operator/tenants/:id/sends`: holding and releasing what is sent. */
import { Hono } from "hono";
import type { AppEnv } from "../../../platform/http/env";
import { operatorsOnly, sessionOf, sessionOnly } from "../../../platform/http/permissions";
import { byUser, limit } from "../../../platform/http/rate-limit";
import { describeRoute } from "../../../platform/http/route-docs";
import { body } from "../../../platform/http/validate";
import { says } from "../../../platform/schemas/schemas";
import { changeAllSends, changeSendsOfTenant } from "../holds";
import { CONFIRMATION_ERRORS, CONFIRMED, confirmation } from "../schemas";

const limited = limit("operator", byUser);

const holdRoute = (operationId: string, summary: string, message: "Sends held." | "Sends released.") =>
  describeRoute(operationId, summary, {
    200: says(message),
    errors: [...CONFIRMATION_ERRORS, "SERVICE_UNAVAILABLE"],
    description: `Deliveries wait, tests and retries too, and use no attempt; nothing is lost. ${CONFIRMED}`,
  });

export const operatorSendRoutes = new Hono<AppEnv>()
  .post(
    "/sends/hold",
    holdRoute("operatorHoldSends", "Holds what is sent for all tenants.", "Sends held."),
    sessionOnly,
    operatorsOnly,
    limited,
    body(confirmation),
    async (c) => {
      await changeAllSends(c.get("deps"), sessionOf(c), "hold", c.req.valid("json"));
      return c.json({ message: "Sends held." });
    },
  )
  .post(
    "/sends/release",
    holdRoute("operatorReleaseSends", "Releases what was held for all tenants.", "Sends released."),
    sessionOnly,
    operatorsOnly,
    limited,
    body(confirmation),
    async (c) => {
      await changeAllSends(c.get("deps"), sessionOf(c), "release", c.req.valid("json"));
      return c.json({ message: "Sends released." });
    },
  )
  .post(
    "/tenants/:id/sends/hold",
    holdRoute("operatorHoldTenantSends", "Holds what is sent for a tenant.", "Sends held."),
    sessionOnly,
    operatorsOnly,
    limited,
    body(confirmation),
    async (c) => {
      await changeSendsOfTenant(c.get("deps"), sessionOf(c), c.req.param("id"), "hold", c.req.valid("json"));
      return c.json({ message: "Sends held." });
    },
  )
  .post(
    "/tenants/:id/sends/release",
    holdRoute("operatorReleaseTenantSends", "Releases what was held for a tenant.", "Sends released."),
    sessionOnly,
    operatorsOnly,
    limited,
    body(confirmation),
    async (c) => {
      await changeSendsOfTenant(c.get("deps"), sessionOf(c), c.req.param("id"), "release", c.req.valid("json"));
      return c.json({ message: "Sends released." });
    },
  );
