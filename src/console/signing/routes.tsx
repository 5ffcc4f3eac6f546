/** `/console/webhooks/:id/security`: the keys that sign a subscription's deliveries. */
import type { Context } from "hono";
import { decrypt } from "../../base/crypto/encryption";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { WITH_PORTALS } from "../../base/operation";
import { READ_DELIVERIES } from "../../webhooks/access";
import { secretOwner } from "../../webhooks/signing/keys";
import { readValidKeys } from "../../webhooks/signing/store";
import { secrets } from "../../webhooks/subscriptions/rotation/api";
import { Say } from "../components/mount";
import { flash, page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { requireSubscription } from "../http/subscription";
import { Rotate, RotatedPage, Signing } from "./pages";
import { readSnippets } from "./snippets";

const SECTION = "subscriptions";
const DAY_SECONDS = "86400";

async function rotatePage(c: Context<AppEnv>, values: { kind: string; overlapSeconds: string }, refused?: Refused) {
  if (refused?.error.code === "NOT_FOUND") throw refused.error;
  const { id, name, options } = await requireSubscription(c);
  const hasPublicKeys = options?.signature === "v1+v1a";
  return page(
    c,
    { title: <Say of="portal.rotateSecret" />, section: SECTION, refused },
    <Rotate id={id} name={name} hasPublicKeys={hasPublicKeys} {...values} />,
  );
}

export const signingPages = new Pages()
  .get("/:id/security", requires(READ_DELIVERIES), async (c) => {
    const deps = c.get("deps");
    const principal = c.get("principal");
    const nowMs = deps.now();
    const { id, name, secretSealed } = await requireSubscription(c);
    const keys = await readValidKeys(deps.shards.db(principal.shard), principal, id, nowMs);
    const mayUpdate = principal.permissions.has("webhook.update");
    const keysUrl = `${new URL(c.req.url).origin}/.well-known/webhook-keys/${id}`;
    const isAsked = c.req.query("secret") === "shown";
    const shown = mayUpdate && isAsked ? await decrypt(deps.keys, secretOwner(id), secretSealed) : null;
    const secret = shown === null ? (mayUpdate ? "hidden" : null) : { shown };
    return page(
      c,
      { title: <Say of="portal.security" />, section: SECTION },
      <Signing
        {...{ id, name, keys, keysUrl, mayUpdate, nowMs, secret }}
        snippets={await readSnippets(c.env.ASSETS, c.req.url)}
      />,
    );
  })
  .get("/:id/secret/rotate", requires({ callers: WITH_PORTALS, permission: "webhook.update" }), (c) =>
    rotatePage(c, { kind: "v1", overlapSeconds: DAY_SECONDS }),
  )
  .form("/:id/secret/rotate", secrets.rotate, {
    values: (sent) => ({
      kind: sent.optional("kind") ?? "v1",
      overlapSeconds: sent.optional("overlapSeconds") ?? DAY_SECONDS,
    }),
    input: (values) => ({ ...values, overlapSeconds: Number(values.overlapSeconds) }),
    done: async (c, { row, formerExpireAt }, { kind }) => {
      const { id, name, secretSealed } = row;
      const secret = kind === "v1" ? await decrypt(c.get("deps").keys, secretOwner(id), secretSealed) : null;
      return page(
        c,
        { title: <Say of="portal.secretRotated" />, section: SECTION },
        <RotatedPage id={id} name={name} secret={secret} formerExpireAt={formerExpireAt} />,
      );
    },
    again: (c, refused, values) => rotatePage(c, values, refused),
  })
  .form("/:id/secret/previous/delete", secrets.endFormer, {
    done: flash("/webhooks/:id/security", "secretsEnded"),
  }).router;
