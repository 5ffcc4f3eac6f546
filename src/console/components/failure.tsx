/** The message of the error that a page shows, if there is one, above the form. */

import { Banner } from "./display";
import { useFailure } from "./shown-failure";
import { WayToSignOn } from "./way-to-sign-on";

export function FailureBanner() {
  const failure = useFailure();
  if (!failure) return null;
  return (
    <>
      <Banner kind="bad">{failure.message}</Banner>
      <WayToSignOn address={failure.fields["signOn"]} />
    </>
  );
}
