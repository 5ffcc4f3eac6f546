/** The page of a portal link, which opens the portal, and the one for a link that does not work any more. */
import { SubmitButton } from "../components/buttons";
import { Banner } from "../components/display";
import { Say, useHref } from "../components/mount";

/** The script sends the form at once. Programs that look at links send nothing, so they do not use the link up. */
export const OpenLink = ({ token }: { token: string }) => (
  <form method="post" action={useHref()("/open")} class="card" data-at-once="">
    <input type="hidden" name="token" value={token} />
    <h1>
      <Say of="portal.opening" />
    </h1>
    <p class="muted">
      <Say of="portal.openingText" />
    </p>
    <SubmitButton>
      <Say of="portal.open" />
    </SubmitButton>
  </form>
);

/** Asks before a link replaces an open portal of another tenant: a stranger may have planted the link. */
export const ReplacePortal = ({ token, open, replacedBy }: { token: string; open: string; replacedBy: string }) => (
  <form method="post" action={useHref()("/open")} class="card">
    <input type="hidden" name="token" value={token} />
    <h1>
      <Say of="portal.another" />
    </h1>
    <p>
      <Say of="portal.anotherText" values={{ open, other: replacedBy }} />
    </p>
    <p class="muted">
      <Say of="portal.anotherIgnore" />
    </p>
    <SubmitButton>
      <Say of="portal.openOther" values={{ other: replacedBy }} />
    </SubmitButton>
  </form>
);

export const EndedLink = () => (
  <>
    <h1>
      <Say of="portal.ended" />
    </h1>
    <Banner kind="bad">
      <Say of="portal.endedWhy" />
    </Banner>
    <p>
      <Say of="portal.endedNext" />
    </p>
  </>
);
