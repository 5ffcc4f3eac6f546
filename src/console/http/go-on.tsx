/**
 * The page after a form that goes on elsewhere. Browsers hold the `form-action` of our pages against every redirect
 * that follows a form, also against those of the app, so the form ends here and the page goes on by itself.
 */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { LinkButton } from "../components/buttons";
import { Say } from "../components/mount";
import { NarrowPage } from "../components/narrow-page";
import { page } from "./page";

const Continue = () => <Say of="consent.continue" />;

/** `Refresh` works without a script and, unlike a redirect, begins a navigation of its own. */
export function goOn(c: Context<AppEnv>, address: string): Promise<Response> {
  c.header("Refresh", `0; url=${address}`);
  // It is seen for a moment alone, so nothing is read for it.
  c.set("appOfPage", undefined);
  return page(
    c,
    { title: <Continue /> },
    <NarrowPage title={<Continue />}>
      <p>
        <Say of="consent.takenBack" />
      </p>
      <div class="row">
        <LinkButton href={address} kind="main">
          <Continue />
        </LinkButton>
      </div>
    </NarrowPage>,
  );
}
