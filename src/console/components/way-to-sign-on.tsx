/** The way in where a tenant requires its own sign-on. */
import { Say } from "./mount";

export const WayToSignOn = ({ address }: { address: string | undefined }) =>
  address === undefined ? null : (
    <p>
      <a class="button" href={address}>
        <Say of="page.signOn" />
      </a>
    </p>
  );
