/** The page of a portal link, which opens the portal, and the one for a link that does not work any more. */
import { SubmitButton } from "../components/buttons";
import { Banner } from "../components/display";
import { useHref } from "../components/mount";

/** The script sends the form at once. Programs that look at links send nothing, so they do not use the link up. */
export const OpenLink = ({ token }: { token: string }) => (
  <form method="post" action={useHref()("/open")} class="card" data-at-once="">
    <input type="hidden" name="token" value={token} />
    <h1>One moment</h1>
    <p class="muted">The page opens by itself. If it does not, open it here.</p>
    <SubmitButton>Open</SubmitButton>
  </form>
);

/** Asks before a link replaces an open portal of another tenant: a stranger may have planted the link. */
export const ReplacePortal = ({ token, open, replacedBy }: { token: string; open: string; replacedBy: string }) => (
  <form method="post" action={useHref()("/open")} class="card">
    <input type="hidden" name="token" value={token} />
    <h1>Open another portal?</h1>
    <p>
      The portal of {open} is open in this browser. This link closes it here, and opens the portal of {replacedBy}.
    </p>
    <p class="muted">If you did not ask for this link, close the page.</p>
    <SubmitButton>Open the portal of {replacedBy}</SubmitButton>
  </form>
);

export const EndedLink = () => (
  <>
    <h1>This link does not work</h1>
    <Banner kind="bad">It was used, has ended or was revoked. A link works once, and only for a while.</Banner>
    <p>Go back to where you got it, and open the page again.</p>
  </>
);
