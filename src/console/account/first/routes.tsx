/** `/account`: where people go on after a mail's page, and who is signed in. */
import type { Context } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { requires } from "../../../base/http/operation";
import { PostForm, SubmitButton } from "../../components/buttons";
import { A, Say } from "../../components/mount";
import { NarrowPage } from "../../components/narrow-page";
import { Onward, type Way } from "../../components/onward";
import { VISIT } from "../../http/app-visit";
import { waysOnward } from "../../http/onward";
import { page } from "../../http/page";
import { Pages } from "../../http/pages";
import { requestedReturn, returnPath } from "../../http/paths";
import { findCurrentUser } from "../../http/session";

interface FirstPageProps {
  /** Undefined when nobody is signed in. */
  email: string | undefined;
  ways: readonly Way[];
}

const FirstPage = ({ email, ways }: FirstPageProps) => (
  <NarrowPage title={<Say of="onward.title" />}>
    <div class="card">
      <Onward ways={ways} />
      {email === undefined ? (
        <p>
          <A to="/sign-in">
            <Say of="signIn.submit" />
          </A>
        </p>
      ) : (
        <PostForm action="/sign-out">
          <p class="break">
            <Say of="onward.signedInAs" values={{ email: <strong>{email}</strong> }} />{" "}
            <A to="/apps">
              <Say of="apps.title" />
            </A>
          </p>
          <SubmitButton kind="plain">
            <Say of="onward.signOut" />
          </SubmitButton>
        </PostForm>
      )}
    </div>
  </NarrowPage>
);

async function firstPage(c: Context<AppEnv>) {
  // Somebody whom an app has sent goes on there.
  if (c.req.query("r") !== undefined) return c.redirect(returnPath(c, requestedReturn(c)), 303);
  const [user, ways] = [await findCurrentUser(c), await waysOnward(c)];
  return page(c, { title: <Say of="onward.title" /> }, <FirstPage email={user?.email} ways={ways} />);
}

export const firstPages = new Pages().get("/", requires(VISIT), firstPage).router;
