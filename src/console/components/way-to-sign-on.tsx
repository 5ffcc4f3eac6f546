/** The way in where a tenant requires its own sign-on. */
import { Say, useHref, useIsForApps } from "./mount";

/** `address` starts the sign-on. From a page for apps, the browser comes back to these, and goes on to the app. */
export const WayToSignOn = ({ address }: { address: string | undefined }) => {
  const [href, isForApps] = [useHref(), useIsForApps()];
  return address === undefined ? null : (
    <p>
      <a class="button" href={isForApps ? href(`/sign-on/start${new URL(address).search}`) : address}>
        <Say of="page.signOn" />
      </a>
    </p>
  );
};
