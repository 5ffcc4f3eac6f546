/** The pages on which somebody chooses with which account, and in which tenant, they sign in to an app. */
import type { Context } from "hono";
import * as z from "zod";
import { AppError } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { requires } from "../../../base/http/operation";
import { operation } from "../../../base/operation";
import { openRequest, sealRequest } from "../../../oauth/authorization/authorize";
import { PostForm } from "../../components/buttons";
import { Say } from "../../components/mount";
import { NarrowPage } from "../../components/narrow-page";
import { decided, VISIT, whoAnswers } from "../../http/app-visit";
import { goOn } from "../../http/go-on";
import { page } from "../../http/page";
import { Pages } from "../../http/pages";
import { goingOn } from "../../http/paths";

const choice = z.object({ r: z.string().min(1).max(20_000), tenant: z.string().max(100).default("") });

/** Notes what the person has chosen in the request: in which session, so that nobody else goes on with it. */
const choosing = operation({
  limit: { rule: "consent", per: "user" },
  schema: choice,
  verb: async ({ deps, session, input }) => {
    const asked = await openRequest(deps, input.r);
    const chosen = input.tenant === "" ? {} : { tenantId: input.tenant };
    return goingOn(await sealRequest(deps, { ...asked, ...chosen, stayedIn: session.sessionId }));
  },
});

const values = (sent: { text(name: string): string }) => ({ r: sent.text("r"), tenant: sent.text("tenant") });
const done = (c: Context<AppEnv>, address: string) => goOn(c, address);

async function accountPage(c: Context<AppEnv>) {
  const { sealed, user, outcome, another } = await decided(c);
  if (!user || "refusal" in outcome || outcome.decision.kind !== "account") return c.redirect(goingOn(sealed), 303);
  return page(
    c,
    { title: <Say of="choose.account" /> },
    <NarrowPage title={<Say of="choose.signInTo" values={{ app: outcome.client.name }} />}>
      <PostForm action="/select-account" class="card">
        <input type="hidden" name="r" value={sealed} />
        <div class="row">
          <button type="submit" class="button main long">
            <Say of="choose.continueAs" values={{ email: user.email }} />
          </button>
          <a class="button plain" href={another}>
            <Say of="choose.another" />
          </a>
        </div>
      </PostForm>
    </NarrowPage>,
  );
}

async function tenantPage(c: Context<AppEnv>) {
  const { sealed, user, outcome, another } = await decided(c);
  if (!user || "refusal" in outcome || outcome.decision.kind !== "tenant") return c.redirect(goingOn(sealed), 303);
  return page(
    c,
    { title: <Say of="choose.tenant" /> },
    <NarrowPage title={<Say of="choose.where" values={{ app: outcome.client.name }} />}>
      <PostForm action="/tenant" class="card">
        <p class="break">
          <Say of="onward.signedInAs" values={{ email: <strong>{user.email}</strong> }} />{" "}
          <a href={another}>
            <Say of="consent.notYou" />
          </a>{" "}
          <Say of="choose.tenant" />:
        </p>
        <input type="hidden" name="r" value={sealed} />
        {outcome.decision.open.map(({ tenantId, tenantName }) => (
          <p>
            <button type="submit" class="button plain long" name="tenant" value={tenantId}>
              {tenantName}
            </button>
          </p>
        ))}
      </PostForm>
    </NarrowPage>,
  );
}

/** A form without the tenant chooses nothing. */
const namesTenant = (given: { r: string; tenant: string }) => {
  if (given.tenant === "") throw new AppError("VALIDATION_FAILED", { message: "Choose a tenant." });
  return given;
};

export const accountChoice = new Pages()
  .get("/", requires(VISIT), accountPage)
  .form("/", choosing, { first: whoAnswers, values: (sent) => ({ ...values(sent), tenant: "" }), done }).router;

export const tenantChoice = new Pages()
  .get("/", requires(VISIT), tenantPage)
  .form("/", choosing, { first: whoAnswers, values: (sent) => namesTenant(values(sent)), done }).router;
