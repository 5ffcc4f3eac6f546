/** `/console/webhooks/:id/security`: the keys that sign a subscription's deliveries. */
import { type Context, Hono } from "hono";
import { decrypt } from "../../platform/crypto/encryption";
import { notFound } from "../../platform/errors";
import type { AppEnv } from "../../platform/http/env";
import { can } from "../../platform/http/permissions";
import { limit, limitedInside } from "../../platform/http/rate-limit";
import { secretOwner } from "../../webhooks/signing/keys";
import { endFormerKeysOf, rotate } from "../../webhooks/signing/rotation/rotation";
import { rotation } from "../../webhooks/signing/rotation/schemas";
import { readValidKeys } from "../../webhooks/signing/store";
import { findSubscription } from "../../webhooks/subscriptions/store";
import { type Failure, parse } from "../failure";
import { readForm } from "../http/form";
import { page, redirectWithFlash, rerenderOnError } from "../http/page";
import { Rotate, RotatedPage, Signing } from "./pages";

const SECTION = "subscriptions";
const DAY_SECONDS = "86400";
const writeLimit = limit("writeWebhook", "tenant");

async function requireSubscription(c: Context<AppEnv>, id: string) {
  const row = await findSubscription(c.get("deps"), c.get("principal"), id);
  if (!row) throw notFound("Webhook");
  return row;
}

async function rotatePage(
  c: Context<AppEnv>,
  id: string,
  values: { kind: string; overlapSeconds: string },
  failure?: Failure,
  status = 200,
) {
  const { name, options } = await requireSubscription(c, id);
  const hasPublicKeys = options?.signature === "v1+v1a";
  return page(
    c,
    { title: "Rotate the secret", section: SECTION, status },
    <Rotate id={id} name={name} hasPublicKeys={hasPublicKeys} {...values} failure={failure} />,
  );
}

export const signingPages = new Hono<AppEnv>()
  .get("/:id/security", can("webhook.read"), limit("readDeliveries", "tenant"), async (c) => {
    const deps = c.get("deps");
    const principal = c.get("principal");
    const nowMs = deps.now();
    const { id, name } = await requireSubscription(c, c.req.param("id"));
    const keys = await readValidKeys(deps.shards.db(principal.shard), principal, id, nowMs);
    const mayUpdate = principal.permissions.has("webhook.update");
    const keysUrl = `${new URL(c.req.url).origin}/.well-known/webhook-keys/${id}`;
    return page(
      c,
      { title: "Security", section: SECTION },
      <Signing id={id} name={name} keys={keys} keysUrl={keysUrl} mayUpdate={mayUpdate} nowMs={nowMs} />,
    );
  })
  .get("/:id/secret/rotate", can("webhook.update"), (c) =>
    rotatePage(c, c.req.param("id"), { kind: "v1", overlapSeconds: DAY_SECONDS }),
  )
  .post(
    "/:id/secret/rotate",
    limitedInside("rotateSecret", "subscription"),
    can("webhook.update"),
    writeLimit,
    async (c) => {
      const deps = c.get("deps");
      const id = c.req.param("id");
      const form = await readForm(c);
      const values = {
        kind: form.optional("kind") ?? "v1",
        overlapSeconds: form.optional("overlapSeconds") ?? DAY_SECONDS,
      };
      return rerenderOnError(
        c,
        async () => {
          const asked = parse(rotation, { ...values, overlapSeconds: Number(values.overlapSeconds) });
          const { row, formerExpireAt } = await rotate(deps, c.get("principal"), id, asked);
          const secret = asked.kind === "v1" ? await decrypt(deps.keys, secretOwner(id), row.secretSealed) : null;
          return page(
            c,
            { title: "Secret rotated", section: SECTION },
            <RotatedPage id={id} name={row.name} secret={secret} formerExpireAt={formerExpireAt} />,
          );
        },
        (failure, status, error) => {
          if (error.code === "NOT_FOUND") throw error;
          return rotatePage(c, id, values, failure, status);
        },
      );
    },
  )
  .post("/:id/secret/previous/delete", can("webhook.update"), writeLimit, async (c) => {
    const id = c.req.param("id");
    await endFormerKeysOf(c.get("deps"), c.get("principal"), id);
    return redirectWithFlash(c, `/webhooks/${id}/security`, "secretsEnded");
  });
