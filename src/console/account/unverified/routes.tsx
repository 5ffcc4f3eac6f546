/** `/account/verify-email` with what an app has asked for: waits until the person has followed the link in a mail. */
import type { Context, Next } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { requires } from "../../../base/http/operation";
import { recovery } from "../../../identity/recovery/api";
import { LinkButton, PostForm, SubmitButton } from "../../components/buttons";
import { Say } from "../../components/mount";
import { NarrowPage } from "../../components/narrow-page";
import { decided, VISIT, whoAnswers } from "../../http/app-visit";
import { page, redirectWithFlash } from "../../http/page";
import { Pages } from "../../http/pages";
import { goingOn } from "../../http/paths";

interface UnverifiedProps {
  app: string;
  email: string;
  /** Asks again whether the address is verified. */
  goOn: string;
  /** Leads to a sign-in with another account. */
  another: string;
}

const Unverified = ({ app, email, goOn, another }: UnverifiedProps) => (
  <NarrowPage title={<Say of="unverified.title" />}>
    <div class="card">
      <p class="break">
        <Say of="unverified.text" values={{ app, email: <strong>{email}</strong> }} />{" "}
        <a href={another}>
          <Say of="consent.notYou" />
        </a>
      </p>
      <div class="row">
        <LinkButton href={goOn} kind="main">
          <Say of="consent.continue" />
        </LinkButton>
        <PostForm action="/verify-email/resend" class="inline">
          <SubmitButton kind="plain">
            <Say of="unverified.resend" />
          </SubmitButton>
        </PostForm>
      </div>
    </div>
  </NarrowPage>
);

async function waitingPage(c: Context<AppEnv>, next: Next) {
  // The link of the mail has the same path.
  if (c.req.query("r") === undefined) return next();
  const { sealed, user, outcome, another } = await decided(c);
  if (!user || "refusal" in outcome || outcome.decision.kind !== "unverified") return c.redirect(goingOn(sealed), 303);
  const view = { app: outcome.client.name, email: user.email, goOn: goingOn(sealed), another };
  return page(c, { title: <Say of="unverified.title" /> }, <Unverified {...view} />);
}

export const unverifiedPages = new Pages()
  .get("/", requires(VISIT), waitingPage)
  .form("/resend", recovery.resendVerification, {
    first: whoAnswers,
    done: (c) => redirectWithFlash(c, "/verify-email", "verificationSent"),
  }).router;
